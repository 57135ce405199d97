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

/* The median of m log-ratios of sd s has 1.2533 s / sqrt(m): 29 samples give 1.8 % at 5.4 % an
   arm. */
static void noisy_samples_get_as_many_as_the_block_needs(void **state) {
  (void)state;
  const int samples = next_of(0.054, 1e-3, false);
  assert_in_range(samples, 23, 35);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_block_has_the_least),
      cmocka_unit_test(quiet_samples_need_no_more),
      cmocka_unit_test(noisy_samples_get_as_many_as_the_block_needs),
      cmocka_unit_test(samples_that_take_long_stay_few),
      cmocka_unit_test(the_suite_may_want_more),
      cmocka_unit_test(swapped_arms_give_the_same_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
