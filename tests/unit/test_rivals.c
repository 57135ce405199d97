/* SPDX-License-Identifier: Apache-2.0 */
/* A version that is not measured at the moment does not work beside the other one, nor spoil what
   it computes: each of these attacks is a pair of arms, and the calls of the other fail where it is
   not so. pawl ends a version that it cannot stop. Arguments: the operator's plug-in, the folder of
   the kernels, names of the first kind, "or", names of the second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure_support.h"

#define BLOCKS 4 /* in every other one it is measured first */

static char **arguments;
static int argument_count; /* up to "or" */
static int unstoppable_count;

static struct pawl_worker_options options_of(struct fixture *f, const char *name) {
  return (struct pawl_worker_options){
      .driver = PAWL_DRIVER_PLUGIN,
      .role = PAWL_ROLE_KERNEL,
      .name = name,
      .plugin = pawl_arena_printf(&f->arena, "%s/attack_%s.so", arguments[2], name),
      .timeout_seconds = 60};
}

static void measure_arms(struct fixture *f, const struct pawl_worker_options *const *arms,
                         int count, int number, struct pawl_block *out) {
  struct pawl_error err = {0};
  const struct pawl_block_plan plan = {.warmup = 2,
                                       .samples = SAMPLES,
                                       .rounds = 4,
                                       .cache = PAWL_CACHE_COLD,
                                       .flush_bytes = 64 << 20,
                                       .threads = 1,
                                       .seed = (uint64_t)number,
                                       .order_seed = (uint64_t)number,
                                       .first_arm = number % count,
                                       .tolerance = &f->tolerance};
  require(pawl_measure_block(&f->problem, arms, count, &plan, &f->arena, out, &err), &err);
  for (int i = 0; i < count; i++) json_decref(out->arms[i].environment);
}

static void test_an_arm_may_take_no_part(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f, arguments[1]);
  const struct pawl_worker_options honest = options_of(&f, "notices_others");
  const struct pawl_worker_options *const arms[] = {&honest, NULL, &honest};
  for (int number = 0; number < 3; number++) {
    struct pawl_block block;
    measure_arms(&f, arms, 3, number, &block);
    for (int i = 0; i < 3; i++) {
      assert_int_equal(block.arms[i].outcome, PAWL_OUTCOME_OK);
      assert_int_equal(block.arms[i].count, arms[i] ? SAMPLES : 0);
    }
  }
  tear_down(&f);
}

static void measure_pair(struct fixture *f, const char *name, int number) {
  const struct pawl_worker_options base = options_of(f, "notices_others"),
                                   candidate = options_of(f, name);
  const struct pawl_worker_options *const arms[] = {&base, &candidate};
  struct pawl_block block;
  measure_arms(f, arms, 2, number, &block);
  /* without namespaces pawl does not find the other processes of a sandbox */
  const bool reachable =
      block.arms[1].isolation == PAWL_ISOLATION_FULL || strcmp(name, "hinders_by_process") != 0;
  if (reachable && block.arms[0].outcome != PAWL_OUTCOME_OK)
    fail_msg("beside '%s': %s", name, block.arms[0].reason);
}

static void test_none_reaches_the_other(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f, arguments[1]);
  for (int i = 3; i < argument_count; i++)
    for (int number = 0; number < BLOCKS; number++) measure_pair(&f, arguments[i], number);
  tear_down(&f);
}

static void test_who_cannot_be_stopped_is_ended(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f, arguments[1]);
  for (int i = 0; i < unstoppable_count; i++) {
    const struct pawl_worker_options base = options_of(&f, "notices_others"),
                                     candidate = options_of(&f, arguments[argument_count + 1 + i]);
    const struct pawl_worker_options *const arms[] = {&base, &candidate};
    struct pawl_block block;
    bool ended = false;
    for (int number = 0; number < BLOCKS && !ended; number++) {
      measure_arms(&f, arms, 2, number, &block);
      ended = block.arms[1].outcome == PAWL_OUTCOME_CRASHED;
    }
    assert_true(ended);
    assert_non_null(strstr(block.arms[1].reason, "ran though pawl had stopped it"));
  }
  tear_down(&f);
}

/* A race: all of them in one block, with those that notice it first, in the middle and last. */
static void test_none_reaches_any_of_many(void **state) {
  (void)state;
  struct fixture f = {0};
  struct pawl_worker_options options[PAWL_MAX_ARMS];
  const struct pawl_worker_options *arms[PAWL_MAX_ARMS];
  const int attackers = argument_count - 3, count = attackers + 3, middle = 1 + attackers / 2;
  assert_true(count <= PAWL_MAX_ARMS);
  set_up(&f, arguments[1]);
  for (int i = 0, attacker = 3; i < count; i++) {
    const bool notices = i == 0 || i == middle || i == count - 1;
    options[i] = options_of(&f, notices ? "notices_others" : arguments[attacker++]);
    arms[i] = &options[i];
  }
  for (int number = 0; number < BLOCKS; number++) {
    struct pawl_block block;
    measure_arms(&f, arms, count, number, &block);
    for (int i = 0; i < count; i += i < middle ? middle : count - 1 - middle) {
      if (block.arms[i].isolation != PAWL_ISOLATION_FULL)
        continue; /* one that hinders by process reaches it */
      if (block.arms[i].outcome != PAWL_OUTCOME_OK) fail_msg("arm %d: %s", i, block.arms[i].reason);
      assert_int_equal(block.arms[i].count, SAMPLES);
    }
  }
  tear_down(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_an_arm_may_take_no_part),
                                     cmocka_unit_test(test_none_reaches_the_other),
                                     cmocka_unit_test(test_none_reaches_any_of_many),
                                     cmocka_unit_test(test_who_cannot_be_stopped_is_ended)};
  arguments = argv;
  while (argument_count < argc && strcmp(argv[argument_count], "or") != 0) argument_count++;
  unstoppable_count = argc - argument_count - 1;
  return argc > 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
