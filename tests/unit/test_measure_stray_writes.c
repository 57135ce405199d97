/* SPDX-License-Identifier: Apache-2.0 */
/* An arm that writes to its inputs, which it shares with the others, harms itself alone. Arguments:
   the operator's plug-in, the folder of the kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure_support.h"
#include "oracle/expected.h"

static char **arguments;

static struct pawl_worker_options options_of(struct fixture *f, const char *name) {
  return (struct pawl_worker_options){
      .driver = PAWL_DRIVER_PLUGIN,
      .role = PAWL_ROLE_KERNEL,
      .name = name,
      .plugin = pawl_arena_printf(&f->arena, "%s/hostile_%s.so", arguments[2], name),
      .timeout_seconds = 60};
}

/* The current code, a rival, the one that trespasses, a rival. In each block another begins. */
static void measure_beside(const char *name, enum pawl_cache_mode cache, bool unchecked,
                           enum pawl_outcome outcome, const char *reason) {
  struct fixture f = {0};
  struct pawl_error err = {0};
  set_up(&f, arguments[1]);
  const struct pawl_worker_options honest = options_of(&f, "honest"), stray = options_of(&f, name);
  const struct pawl_worker_options *const arms[] = {&honest, &honest, &stray, &honest};
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
      if (block.arms[i].outcome != PAWL_OUTCOME_OK)
        fail_msg("arm %d, block %d: %s", i, number, block.arms[i].reason);
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
  measure_beside("changes_inputs", PAWL_CACHE_WARM, true, PAWL_OUTCOME_WRONG,
                 "changed its input 'x'");
}

static void test_who_dies_leaves_the_inputs_as_drawn(void **state) {
  (void)state;
  measure_beside("changes_and_dies", PAWL_CACHE_COLD, false, PAWL_OUTCOME_CRASHED, "SIGABRT");
  measure_beside("changes_and_dies", PAWL_CACHE_WARM, false, PAWL_OUTCOME_CRASHED, "SIGABRT");
}

/* The current code and a candidate: whatever the current code comes to, it is not its fault. */
static void measure_pair(const char *name, bool unchecked, uint64_t order_seed) {
  struct fixture f = {0};
  struct pawl_error err = {0};
  struct pawl_block block;
  set_up(&f, arguments[1]);
  const struct pawl_worker_options honest = options_of(&f, "honest"),
                                   candidate = options_of(&f, name);
  const struct pawl_worker_options *const arms[] = {&honest, &candidate}, *const honests[] = {
                                                                              &honest, &honest};
  struct pawl_block_plan plan = {.warmup = 2,
                                 .samples = SAMPLES,
                                 .rounds = 4,
                                 .cache = PAWL_CACHE_WARM,
                                 .threads = 1,
                                 .unproven = true,
                                 .unchecked = unchecked,
                                 .order_seed = order_seed,
                                 .first_arm = (int)(order_seed % 2),
                                 .tolerance = &f.tolerance};
  require(pawl_measure_block(&f.problem, arms, 2, &plan, &f.arena, &block, &err), &err);
  for (int i = 0; i < 2; i++) json_decref(block.arms[i].environment);
  assert_int_equal(block.arms[0].outcome, PAWL_OUTCOME_OK);
  assert_null(block.arms[0].reason);
  assert_int_equal(block.arms[1].outcome, PAWL_OUTCOME_WRONG);
  if (unchecked) assert_non_null(strstr(block.arms[1].reason, "changed its input 'x'"));
  require(pawl_measure_block(&f.problem, honests, 2, &plan, &f.arena, &block, &err), &err);
  for (int i = 0; i < 2; i++) json_decref(block.arms[i].environment);
  for (int i = 0; i < 2; i++) assert_int_equal(block.arms[i].outcome, PAWL_OUTCOME_OK);
  tear_down(&f);
}

static void test_who_writes_far_is_to_blame(void **state) {
  (void)state;
  for (uint64_t order = 0; order < 6;
       order++) { /* in some the current code is called on what was changed */
    measure_pair("writes_elsewhere", false, order);
    measure_pair("writes_elsewhere", true, order);
    measure_pair("writes_at_last", true, order);
  }
}

/* Beside rivals nobody knows who it was, and pawl blames nobody for good. */
static void test_among_several_nobody_knows_who_writes_far(void **state) {
  (void)state;
  struct fixture f = {0};
  struct pawl_error err = {0};
  set_up(&f, arguments[1]);
  const struct pawl_worker_options honest = options_of(&f, "honest"),
                                   stray = options_of(&f, "writes_elsewhere");
  const struct pawl_worker_options *const arms[] = {&honest, NULL, &stray, &honest};
  struct pawl_block block;
  struct pawl_block_plan plan = {.warmup = 2,
                                 .samples = SAMPLES,
                                 .rounds = 4,
                                 .cache = PAWL_CACHE_WARM,
                                 .threads = 1,
                                 .unproven = true,
                                 .unchecked = true,
                                 .tolerance = &f.tolerance};
  for (uint64_t order = 0; order < 6; order++) {
    plan.order_seed = order;
    plan.first_arm = (int)(order % 4);
    require(pawl_measure_block(&f.problem, arms, 4, &plan, &f.arena, &block, &err), &err);
    for (int i = 0; i < 4; i++) json_decref(block.arms[i].environment);
    assert_true(block.stray_write);
    require(pawl_measure_block(&f.problem,
                               (const struct pawl_worker_options *const[]){&honest, NULL, &honest},
                               3, &plan, &f.arena, &block, &err),
            &err);
    for (int i = 0; i < 3; i++) json_decref(block.arms[i].environment);
    assert_false(block.stray_write);
    assert_int_equal(block.arms[0].outcome, PAWL_OUTCOME_OK);
    assert_int_equal(block.arms[2].outcome, PAWL_OUTCOME_OK);
  }
  tear_down(&f);
}

/* pawl compares a call on varied inputs with a note that holds for that call alone. Afterwards
   it finds a change by the kernel again. */
static void test_what_was_noted_comes_back(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f, arguments[1]);
  struct pawl_problem *problem = &f.problem;
  const struct pawl_noted_inputs usual = pawl_problem_noted_inputs(problem, 1);
  float *x = (float *)(void *)(f.oracle.tensors.map + problem->sets[1].tensors[0].offset);
  pawl_problem_permute(problem, 1, 7);
  pawl_problem_note_inputs(problem, 1);
  assert_true(pawl_problem_changed_input(problem, 1) < 0);
  x[3] = 0;
  pawl_problem_permute(problem, 1, 7);
  pawl_problem_note_again(problem, 1, &usual);
  assert_int_equal(pawl_problem_changed_input(problem, 1), 0);
  fill_inputs(&f);
  assert_true(pawl_problem_changed_input(problem, 1) < 0);
  tear_down(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_writes_to_inputs_is_wrong_alone),
      cmocka_unit_test(test_also_where_nothing_is_compared),
      cmocka_unit_test(test_who_dies_leaves_the_inputs_as_drawn),
      cmocka_unit_test(test_who_writes_far_is_to_blame),
      cmocka_unit_test(test_among_several_nobody_knows_who_writes_far),
      cmocka_unit_test(test_what_was_noted_comes_back)};
  arguments = argv;
  return argc == 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
