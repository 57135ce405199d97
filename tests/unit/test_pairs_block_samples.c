/* SPDX-License-Identifier: Apache-2.0 */
/* The number of samples of a CPU kernel's block. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "pairs/block_samples.h"
#include "stats/sequential.h"
#include "stats/sort.h"
#include "stats/variates.h"

enum { SAMPLES = 10, LEAST = 10 };

/* Adds a block whose samples vary by `sd` in each arm and take `seconds` for both arms. */
static void add(struct pawl_block_samples *seen, uint64_t seed, double sd, double seconds,
                bool held_up) {
  struct pawl_random random = pawl_random_init(seed, 0);
  double times[2][SAMPLES];
  for (int arm = 0; arm < 2; arm++)
    for (int i = 0; i < SAMPLES; i++) times[arm][i] = 5e-6 * exp(sd * pawl_draw_normal(&random));
  if (held_up) times[1][3] *= 100;
  pawl_block_samples_add(seen, times[0], times[1], SAMPLES, SAMPLES * seconds);
}

static int next_of(double sd, double seconds, bool held_up) {
  struct pawl_block_samples seen = {0};
  for (uint64_t block = 0; block < 200; block++) add(&seen, block, sd, seconds, held_up);
  return pawl_block_samples_next(&seen, LEAST);
}

static void the_first_block_has_the_least(void **state) {
  (void)state;
  const struct pawl_block_samples none = {0};
  assert_int_equal(pawl_block_samples_next(&none, LEAST), LEAST);
}

static void quiet_samples_need_no_more(void **state) {
  (void)state;
  assert_int_equal(next_of(0.01, 1e-3, false), LEAST);
}

/* The median of m log-ratios of sd s has 1.2533 s / sqrt(m): 55 samples give 1.3 % at 5.4 % an
   arm. */
static void noisy_samples_get_as_many_as_the_block_needs(void **state) {
  (void)state;
  const int samples = next_of(0.054, 1e-3, false);
  assert_in_range(samples, 46, 62);
  assert_in_range(next_of(0.054, 1e-3, true), samples - 3, samples + 12);
  assert_int_equal(next_of(0.2, 1e-3, false), PAWL_BLOCK_MOST_SAMPLES);
}

static void samples_that_take_long_stay_few(void **state) {
  (void)state;
  assert_int_equal(next_of(0.054, PAWL_BLOCK_SECONDS / 20.5, false), 20);
  assert_int_equal(next_of(0.054, 1, false), LEAST);
}

static void the_suite_may_want_more(void **state) {
  (void)state;
  struct pawl_block_samples seen = {0};
  add(&seen, 1, 0.2, 1e-3, false);
  assert_int_equal(pawl_block_samples_next(&seen, 500), 500);
}

/* A base that is slower than its candidate shows the same noise as one that is faster. */
static void swapped_arms_give_the_same_number(void **state) {
  (void)state;
  struct pawl_block_samples seen = {0}, swapped = {0};
  const double base[] = {5, 6, 5.2, 5.1, 5.9, 5, 5.3}, candidate[] = {7, 6.5, 7.3, 7, 6, 8, 7.1};
  pawl_block_samples_add(&seen, base, candidate, 7, 1);
  pawl_block_samples_add(&swapped, candidate, base, 7, 1);
  assert_true(seen.variance > 0);
  assert_true(fabs(seen.variance - swapped.variance) < 1e-12);
  pawl_block_samples_add(&seen, base, candidate, 1, 1);
  assert_int_equal(seen.blocks, 1);
}

/* --- verdicts of simulated kernels --- */

enum { TRIALS = 500 };

/* Standard deviations of log-times. */
struct kernel {
  double samples, processes, slowdown;
  bool fixed; /* each block has the least number of samples */
};

struct answers {
  int regressions, improvements, maintained;
  double blocks, sampled; /* means over the trials: blocks, and samples of an arm */
};

/* Measures a block: one process of each arm, whose samples alternate. Returns its log-ratio. */
static double measure(const struct kernel *kernel, struct pawl_random *random, int count,
                      struct pawl_block_samples *seen) {
  double base[PAWL_BLOCK_MOST_SAMPLES], candidate[PAWL_BLOCK_MOST_SAMPLES],
      ratios[PAWL_BLOCK_MOST_SAMPLES];
  const double apart = kernel->processes * sqrt(2) * pawl_draw_normal(random);
  for (int i = 0; i < count; i++) {
    base[i] = exp(kernel->samples * pawl_draw_normal(random));
    candidate[i] = (1 + kernel->slowdown) * exp(apart + kernel->samples * pawl_draw_normal(random));
    if (pawl_random_double(random) < 0.05) candidate[i] *= 3;
    if (pawl_random_double(random) < 0.05) base[i] *= 3;
    ratios[i] = log(candidate[i] / base[i]);
  }
  pawl_block_samples_add(seen, base, candidate, (size_t)count, 2e-3 * count);
  pawl_sort_doubles(ratios, (size_t)count);
  return (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
}

static enum pawl_decision judge(const struct kernel *kernel, uint64_t seed,
                                struct answers *answers) {
  struct pawl_random random = pawl_random_init(seed, 1);
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_block_samples seen = {0};
  struct pawl_sequential test;
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  assert_int_equal(pawl_sequential_init(&test, &policy, NULL), PAWL_OK);
  while (decision == PAWL_DECISION_CONTINUE) {
    const int count = kernel->fixed ? LEAST : pawl_block_samples_next(&seen, LEAST);
    const double ratio = measure(kernel, &random, count, &seen);
    assert_int_equal(pawl_sequential_add(&test, ratio, &decision, NULL), PAWL_OK);
    answers->sampled += (double)count / TRIALS;
    answers->blocks += 1.0 / TRIALS;
  }
  pawl_sequential_release(&test);
  return decision;
}

static struct answers judge_all(struct kernel kernel) {
  struct answers answers = {0};
  for (uint64_t trial = 0; trial < TRIALS; trial++) {
    const enum pawl_decision decision = judge(&kernel, trial, &answers);
    answers.regressions += decision == PAWL_DECISION_REGRESSION;
    answers.improvements += decision == PAWL_DECISION_IMPROVEMENT;
    answers.maintained += decision == PAWL_DECISION_MAINTAINED;
  }
  print_message(
      "samples %.1f %%, processes %.1f %%, %+.0f %%, %s: %d slower, %d faster, %d same of "
      "%d, %.1f blocks, %.0f samples\n",
      100 * kernel.samples, 100 * kernel.processes, 100 * kernel.slowdown,
      kernel.fixed ? "10 a block" : "as many as needed", answers.regressions, answers.improvements,
      answers.maintained, TRIALS, answers.blocks, answers.sampled);
  return answers;
}

/* A smaller spread inside of the blocks does not hide what differs between processes. */
static void identical_code_raises_no_alarm(void **state) {
  (void)state;
  static const double processes[] = {0, 0.005, 0.02, 0.05};
  for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
    const struct answers answers =
        judge_all((struct kernel){.samples = 0.054, .processes = processes[i]});
    assert_in_range(answers.regressions + answers.improvements, 0, TRIALS / 250);
  }
}

static void noisy_samples_need_fewer_blocks(void **state) {
  (void)state;
  static const double slowdowns[] = {0, 0.03, 0.05};
  for (size_t i = 0; i < sizeof slowdowns / sizeof *slowdowns; i++) {
    struct kernel kernel = {.samples = 0.054, .processes = 0.003, .slowdown = slowdowns[i]};
    const struct answers more = judge_all(kernel);
    kernel.fixed = true;
    const struct answers fixed = judge_all(kernel);
    assert_true(more.blocks < 0.75 * fixed.blocks);
    assert_true(more.maintained + more.regressions + TRIALS / 100 >=
                fixed.maintained + fixed.regressions);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_block_has_the_least),
      cmocka_unit_test(quiet_samples_need_no_more),
      cmocka_unit_test(noisy_samples_get_as_many_as_the_block_needs),
      cmocka_unit_test(samples_that_take_long_stay_few),
      cmocka_unit_test(the_suite_may_want_more),
      cmocka_unit_test(swapped_arms_give_the_same_number),
      cmocka_unit_test(identical_code_raises_no_alarm),
      cmocka_unit_test(noisy_samples_need_fewer_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
