/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on inputs that nobody can have seen, on a GPU that is not there: fresh_pairs_fake.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/philox.h"
#include "base/text.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure_support.h"

#define PAIRS 32
#define BLOCKS 6
#define MOST_BLOCKS 40 /* until help is found out: a busy machine can hide a difference in many */
#define WORK_SECONDS 1e-3

static char **arguments;
static double time_limit = 60;
static const char *distribution = "normal";

static void pairs_with(double *pairs, int longer, double ratio) {
  for (int i = 0; i < PAIRS; i++) {
    pairs[2 * i] = 1;
    pairs[2 * i + 1] = i < longer ? ratio : 0.99;
  }
}

/* The next block takes what is wanted, and further pairs on a CPU while there is a doubt. */
static void test_a_doubt_takes_further_pairs(void **state) {
  const struct pawl_device cpu = {.kind = PAWL_CPU}, gpu = {.kind = PAWL_CUDA};
  double longer[2 * 128], even[2 * 128];
  for (size_t i = 0; i < 128; i++) {
    longer[2 * i] = even[2 * i] = 1;
    longer[2 * i + 1] = i % 3 ? 2 : 0.5;
    even[2 * i + 1] = i % 2 ? 2 : 0.5;
  }
  (void)state;
  const struct pawl_fresh_calls few = {longer, 12, 1}, doubt = {longer, 30, 1},
                                most = {longer, 128, 1}, none = {even, 30, 1};
  assert_int_equal(pawl_fresh_pairs_left(&few, &cpu, false), 8);
  assert_int_equal(pawl_fresh_pairs_left(&doubt, &cpu, false), 8);
  assert_int_equal(pawl_fresh_pairs_left(&doubt, &cpu, true), 0);
  assert_int_equal(pawl_fresh_pairs_left(&doubt, &gpu, false), 0);
  assert_int_equal(pawl_fresh_pairs_left(&most, &cpu, false), 0);
  assert_int_equal(pawl_fresh_pairs_left(&none, &cpu, false), 0);
}

/* The processes of a bench share its pairs, and take no more without a sign of a difference. */
static void test_a_bench_takes_the_pairs_that_it_needs(void **state) {
  static const struct {
    int taken, longer, processes, wanted;
  } rows[] = {{0, 0, 6, 4},   {0, 0, 1, 20},  {4, 0, 6, 4},   {8, 4, 6, 0},
              {8, 5, 6, 4},   {12, 12, 6, 4}, {18, 18, 6, 2}, {20, 20, 6, 0},
              {24, 20, 6, 8}, {24, 14, 6, 0}, {128, 80, 6, 0}};
  const struct pawl_device cpu = {.kind = PAWL_CPU}, gpu = {.kind = PAWL_CUDA};
  (void)state;
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    double pairs[2 * 128];
    for (int i = 0; i < rows[row].taken; i++)
      pairs[2 * i] = 1, pairs[2 * i + 1] = i < rows[row].longer ? 1.5 : 0.9;
    const struct pawl_fresh_calls fresh = {pairs, (size_t)rows[row].taken, 1};
    assert_int_equal(pawl_fresh_pairs_of_process(&fresh, &cpu, rows[row].processes),
                     rows[row].wanted);
    assert_int_equal(pawl_fresh_pairs_of_process(&fresh, &gpu, 6), 2);
  }
}

static void test_pairs_must_agree_and_differ_enough(void **state) {
  (void)state;
  double pairs[2 * PAIRS];
  pairs_with(pairs, PAIRS, 1.2);
  assert_true(pawl_fresh_pairs_ratio(pairs, PAIRS) == 1.2);
  assert_true(pawl_fresh_pairs_ratio(pairs, 20) == 1.2);
  assert_true(pawl_fresh_pairs_ratio(pairs, 19) == 1); /* by chance one in half a million */
  assert_true(pawl_fresh_pairs_ratio(NULL, 0) == 1);
  pairs_with(pairs, 30, 1.2);
  assert_true(pawl_fresh_pairs_ratio(pairs, PAIRS) == 1.2);
  pairs_with(pairs, 29, 1.2);
  assert_true(pawl_fresh_pairs_ratio(pairs, PAIRS) == 1);
  pairs_with(pairs, PAIRS, 1.03);
  assert_true(pawl_fresh_pairs_ratio(pairs, PAIRS) == 1.03);
  pairs_with(pairs, PAIRS, 1.015); /* an offset too small to be a gain */
  assert_true(pawl_fresh_pairs_ratio(pairs, PAIRS) == 1);
}

/* Times with a heavy tail, by 5 %, of which each pair's are exchangeable. */
static void test_an_honest_kernel_is_not_accused(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(20261124, 1);
  double pairs[2 * PAIRS];
  for (int trial = 0; trial < 200000; trial++) {
    for (int i = 0; i < 2 * PAIRS; i++) {
      const double u = pawl_random_double(&random);
      pairs[i] = 1 + 0.05 * u * u + (pawl_random_double(&random) < 0.02 ? 3 : 0);
    }
    assert_true(pawl_fresh_pairs_ratio(pairs, PAIRS) == 1);
  }
}

static void measure_fake(struct fixture *f, const char *behaviour, int block,
                         struct pawl_verified *verified, struct pawl_block *out) {
  struct pawl_error err = {0};
  setenv("FRESH_PAIRS_FAKE", behaviour, 1);
  const struct pawl_worker_options worker = {
      .driver = PAWL_DRIVER_PLUGIN,
      .role = PAWL_ROLE_KERNEL,
      .name = "fresh_pairs_fake",
      .plugin = pawl_arena_printf(&f->arena, "%s/fresh_pairs_fake.so", arguments[2]),
      .cuda = true,
      .timeout_seconds = time_limit};
  const struct pawl_worker_options *const arms[] = {&worker};
  const struct pawl_block_plan plan = {.warmup = 2,
                                       .samples = 3 * SAMPLES,
                                       .rounds = 3,
                                       .cache = PAWL_CACHE_COLD,
                                       .flush_bytes = 1 << 20,
                                       .threads = 1,
                                       .fresh_pairs = 12,
                                       .seed = (uint64_t)block,
                                       .verified = verified,
                                       .tolerance = &f->tolerance};
  require(pawl_measure_block(&f->problem, arms, 1, &plan, &f->arena, out, &err), &err);
  json_decref(out->arms[0].environment);
}

static void set_up_fake(struct fixture *f) {
  *f = (struct fixture){0};
  setenv("PAWL_CUDA_LIBRARY", pawl_arena_printf(&f->arena, "%s/fake_cuda.so", arguments[2]), 1);
  set_up(f, arguments[1]);
  struct pawl_error err = {0};
  for (int set = 0; set < PAWL_MEASURE_SETS; set++)
    require(pawl_problem_fill(&f->problem, set, distribution, pawl_measure_set_seed(7, set), &err),
            &err);
}

static double shortest(const struct pawl_arm_block *arm) {
  double least = arm->seconds[0];
  for (size_t i = 1; i < arm->count; i++) least = arm->seconds[i] < least ? arm->seconds[i] : least;
  return least;
}

/* The times of a kernel that gains by help count so much longer that it gains nothing. */
static void require_no_gain(const char *behaviour, double least_ratio, bool known) {
  struct fixture f;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  set_up_fake(&f);
  for (int i = 0; i < MOST_BLOCKS; i++) {
    struct pawl_block block;
    measure_fake(&f, behaviour, i, verified, &block);
    const struct pawl_arm_block *arm = &block.arms[0];
    if (arm->outcome != PAWL_OUTCOME_OK) fail_msg("%s", arm->reason);
    /* by the pairs alone it is also known in the blocks that have none */
    if (!((known ? verified->fresh_ratio : arm->fresh_ratio) > least_ratio)) continue;
    print_message("%s: block %d, %.2f times, %zu pairs, the shortest %.3f ms%s\n", behaviour, i,
                  arm->fresh_ratio, arm->fresh_pairs, shortest(arm) * 1e3,
                  arm->unfrozen ? ", not held" : "");
    assert_true(shortest(arm) > 0.9 * WORK_SECONDS);
    assert_true(arm->added[0] > 0.1 * WORK_SECONDS);
    tear_down(&f);
    return;
  }
  fail_msg("'%s' was not found out", behaviour);
}

static void test_who_computes_ahead_gains_nothing(void **state) {
  (void)state;
  require_no_gain("ahead", 1.3, true);
}

/* Its results are those of values that it has had: all of them in any order, the first one, or most
 * of them. */
static void test_who_keeps_results_gains_nothing(void **state) {
  (void)state;
  require_no_gain("by_values", 1.3, true);
  require_no_gain("by_one", 1.3, true);
  require_no_gain("mends", 1.3, true);
}

/* pawl cannot hold its thread, and takes the pairs again. */
static void test_who_keeps_results_and_needs_a_thread_gains_nothing(void **state) {
  (void)state;
  require_no_gain("recalls_waits", 1.3, true);
}

/* All values of an input are one, which the operator has made: no exchange changes them. */
static void test_constant_inputs_are_new(void **state) {
  (void)state;
  struct fixture f;
  struct pawl_block block;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  distribution = "ones";
  require_no_gain("by_one", 1.3, true);
  set_up_fake(&f);
  measure_fake(&f, "honest", 0, verified, &block);
  distribution = "normal";
  if (block.arms[0].outcome != PAWL_OUTCOME_OK) fail_msg("%s", block.arms[0].reason);
  assert_true(block.arms[0].fresh_pairs >= 12);
  assert_true(verified->fresh && verified->fresh_ratio <= 1);
  tear_down(&f);
}

static void test_who_warms_the_cache_gains_nothing(void **state) {
  (void)state;
  require_no_gain("warms", 1.3, true);
}

/* Its thread stops inside the driver in three of four moments. */
static void test_who_warms_the_cache_from_inside_the_driver_gains_nothing(void **state) {
  (void)state;
  require_no_gain("warms_inside", 1.3, true);
}

static void test_who_knows_the_pairs_gains_nothing(void **state) {
  (void)state;
  require_no_gain("knows_pairs", 1.2, false);
}

static void test_outputs_of_changed_inputs_are_compared(void **state) {
  (void)state;
  struct fixture f;
  struct pawl_block block;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  set_up_fake(&f);
  measure_fake(&f, "stale", 0, verified, &block);
  assert_int_equal(block.arms[0].outcome, PAWL_OUTCOME_WRONG);
  assert_non_null(strstr(block.arms[0].reason, "y["));
  tear_down(&f);
}

static double longest_pair_call(const struct pawl_arm_block *arm) {
  double most = 0;
  for (size_t i = 0; i < 2 * arm->fresh_pairs; i++)
    most = arm->fresh_seconds[i] > most ? arm->fresh_seconds[i] : most;
  return most;
}

/* A call that needs a thread that is held: its time is not that of the wait. The calls of the
 * second request have new inputs, too. */
static void test_a_call_that_needs_a_held_thread_goes_on(void **state) {
  (void)state;
  struct fixture f;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  double longest = 1;
  set_up_fake(&f);
  /* a busy machine interrupts some calls, but a wait would be in every block */
  for (int i = 0; i < BLOCKS && longest > 0.05; i++) {
    struct pawl_block block;
    measure_fake(&f, "needs_thread", i, verified, &block);
    const struct pawl_arm_block *arm = &block.arms[0];
    if (arm->outcome != PAWL_OUTCOME_OK) fail_msg("%s", arm->reason);
    assert_true(arm->unfrozen);
    assert_true(arm->fresh_pairs >= 12);
    longest = longest_pair_call(arm);
  }
  assert_true(longest <= 0.05);
  tear_down(&f);
}

/* pawl goes on when the request has ended, whatever stands in the worker's words. */
static void test_words_that_run_ahead_do_not_hold_up_pawl(void **state) {
  (void)state;
  struct fixture f;
  struct pawl_block block;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  set_up_fake(&f);
  time_limit = 5;
  const int64_t begin = pawl_clock_ns();
  measure_fake(&f, "runs_ahead", 0, verified, &block);
  time_limit = 60;
  assert_true(block.arms[0].outcome != PAWL_OUTCOME_OK || block.arms[0].unfrozen);
  assert_true(pawl_seconds_since(begin) < 40);
  tear_down(&f);
}

static void require_honest(const char *behaviour) {
  struct fixture f;
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  int held = 0, counted = 0;
  set_up_fake(&f);
  for (int i = 0; i < BLOCKS; i++) {
    struct pawl_block block;
    measure_fake(&f, behaviour, i, verified, &block);
    const struct pawl_arm_block *arm = &block.arms[0];
    if (arm->outcome != PAWL_OUTCOME_OK) fail_msg("%s", arm->reason);
    assert_true(verified->fresh_ratio <= 1); /* by the pairs it is never accused */
    assert_true(arm->fresh_pairs >= 12);
    counted += arm->fresh_ratio > 0;
    assert_int_equal(arm->count, 3 * SAMPLES);
    assert_true(verified->fresh);
    held += !arm->unfrozen;
  }
  /* a machine whose speed changes within a block can differ from its samples */
  assert_true(counted <= BLOCKS / 3);
  assert_true(held > 0); /* a busy machine can be too slow to stop threads in time */
  tear_down(&f);
}

static void test_an_honest_kernel_is_as_it_is(void **state) {
  (void)state;
  require_honest("honest");
}

/* Its calls are made again where the thread stopped inside the driver. They have new inputs, too,
 * and take as long as the others. */
static void test_an_honest_kernel_whose_thread_is_inside_the_driver_is_as_it_is(void **state) {
  (void)state;
  require_honest("inside");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_bench_takes_the_pairs_that_it_needs),
      cmocka_unit_test(test_pairs_must_agree_and_differ_enough),
      cmocka_unit_test(test_a_doubt_takes_further_pairs),
      cmocka_unit_test(test_an_honest_kernel_is_not_accused),
      cmocka_unit_test(test_an_honest_kernel_is_as_it_is),
      cmocka_unit_test(test_an_honest_kernel_whose_thread_is_inside_the_driver_is_as_it_is),
      cmocka_unit_test(test_who_computes_ahead_gains_nothing),
      cmocka_unit_test(test_outputs_of_changed_inputs_are_compared),
      cmocka_unit_test(test_who_keeps_results_gains_nothing),
      cmocka_unit_test(test_who_keeps_results_and_needs_a_thread_gains_nothing),
      cmocka_unit_test(test_constant_inputs_are_new),
      cmocka_unit_test(test_who_warms_the_cache_gains_nothing),
      cmocka_unit_test(test_who_warms_the_cache_from_inside_the_driver_gains_nothing),
      cmocka_unit_test(test_who_knows_the_pairs_gains_nothing),
      cmocka_unit_test(test_words_that_run_ahead_do_not_hold_up_pawl),
      cmocka_unit_test(test_a_call_that_needs_a_held_thread_goes_on),
  };
  arguments = argv;
  return argc == 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
