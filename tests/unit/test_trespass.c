/* SPDX-License-Identifier: Apache-2.0 */
/* An arm that writes to its inputs, which it shares with the others, harms itself alone. Arguments: the operator's
   plug-in, the folder of the kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure_support.h"

static char **arguments;

static struct pawl_worker_options options_of(struct fixture *f, const char *name) {
  return (struct pawl_worker_options){.driver = PAWL_DRIVER_PLUGIN,
                                      .role = PAWL_ROLE_KERNEL,
                                      .name = name,
                                      .plugin = pawl_arena_printf(&f->arena, "%s/hostile_%s.so", arguments[2], name),
                                      .timeout_seconds = 60};
}

/* The current code, a rival, the one that trespasses, a rival. In each block another begins. */
static void measure_beside(const char *name, enum pawl_cache_mode cache, bool unchecked, enum pawl_outcome outcome,
                           const char *reason) {
  struct fixture f = {0};
  struct pawl_error err = {0};
  set_up(&f, arguments[1]);
  const struct pawl_worker_options honest = options_of(&f, "honest"), trespasser = options_of(&f, name);
  const struct pawl_worker_options *const arms[] = {&honest, &honest, &trespasser, &honest};
  for (int number = 0; number < 4; number++) {
    struct pawl_block block;
    const struct pawl_block_plan plan = {.warmup = 2,
                                         .samples = SAMPLES,
                                         .rounds = 4,
                                         .cache = cache,
                                         .flush_bytes = 1 << 20,
                                         .threads = 1,
                                         .unproven = true,
                                         .unchecked = unchecked,
                                         .seed = (uint64_t)number,
                                         .order_seed = (uint64_t)number,
                                         .first_arm = number,
                                         .tolerance = &f.tolerance};
    require(pawl_measure_block(&f.problem, arms, 4, &plan, &f.arena, &block, &err), &err);
    for (int i = 0; i < 4; i++) json_decref(block.arms[i].environment);
    assert_int_equal(block.arms[2].outcome, outcome);
    assert_non_null(strstr(block.arms[2].reason, reason));
    for (int i = 0; i < 4; i++) {
      if (i == 2) continue;
      if (block.arms[i].outcome != PAWL_OUTCOME_OK) fail_msg("arm %d, block %d: %s", i, number, block.arms[i].reason);
      assert_int_equal(block.arms[i].count, SAMPLES);
    }
  }
  tear_down(&f);
}

static void test_who_writes_to_inputs_is_wrong_alone(void **state) {
  (void)state;
  const char *reason = "changed its input 'x'";
  measure_beside("changes_inputs", PAWL_CACHE_COLD, false, PAWL_OUTCOME_WRONG, reason);
  measure_beside("changes_inputs", PAWL_CACHE_WARM, false, PAWL_OUTCOME_WRONG, reason);
}

/* A look at a candidate that nobody compares. */
static void test_also_where_nothing_is_compared(void **state) {
  (void)state;
  measure_beside("changes_inputs", PAWL_CACHE_WARM, true, PAWL_OUTCOME_WRONG, "changed its input 'x'");
}

static void test_who_dies_leaves_the_inputs_as_drawn(void **state) {
  (void)state;
  measure_beside("changes_and_dies", PAWL_CACHE_COLD, false, PAWL_OUTCOME_CRASHED, "SIGABRT");
  measure_beside("changes_and_dies", PAWL_CACHE_WARM, false, PAWL_OUTCOME_CRASHED, "SIGABRT");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_writes_to_inputs_is_wrong_alone),
                                     cmocka_unit_test(test_also_where_nothing_is_compared),
                                     cmocka_unit_test(test_who_dies_leaves_the_inputs_as_drawn)};
  arguments = argv;
  return argc == 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
