/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/round_ratio.h"

enum { SAMPLES = 20 };

static void rounds_share_all_samples(void **state) {
  (void)state;
  assert_int_equal(pawl_round_end(10, 3, 0), 3);
  assert_int_equal(pawl_round_end(10, 3, 1), 6);
  assert_int_equal(pawl_round_end(10, 3, 2), 10);
  assert_int_equal(pawl_round_end(2, 5, 0), 0); /* a round without samples */
  assert_int_equal(pawl_round_end(2, 5, 4), 2);
}

/* One round: the medians themselves. */
static void of_one_round_are_the_medians(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const double a[] = {2, 1, 3}, b[] = {6, 4, 5};
  double x, y;
  assert_int_equal(pawl_round_ratio(a, b, 3, 1, &arena, &x, &y, NULL), PAWL_OK);
  assert_true(fabs(x - 2) <= 1e-12);
  assert_true(fabs(y - 5) <= 1e-12);
  pawl_arena_clear(&arena);
}

/* The machine is half as fast in some rounds, more of them than not for one arm's luck: the medians
   over all samples would be 2.04 times apart. */
static void a_state_that_flips_between_rounds_cancels(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  double a[SAMPLES], b[SAMPLES], x, y;
  for (int i = 0; i < SAMPLES; i++) {
    const double slow = i < SAMPLES / 2 - 1 ? 2 : 1;
    a[i] = slow;
    b[i] = 1.02 * slow;
  }
  b[SAMPLES - 1] = b[SAMPLES - 2] = 2.04; /* the state changed inside two rounds */
  assert_int_equal(pawl_round_ratio(a, b, SAMPLES, SAMPLES, &arena, &x, &y, NULL), PAWL_OK);
  assert_true(fabs(y / x - 1.02) <= 1e-12);
  pawl_arena_clear(&arena);
}

static void swapped_arms_swap_the_times(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  double a[SAMPLES], b[SAMPLES], x, y, u, v;
  for (int i = 0; i < SAMPLES; i++) {
    a[i] = 1 + (i * 7 % 11) / 10.0;
    b[i] = 1 + (i * 5 % 13) / 10.0;
  }
  assert_int_equal(pawl_round_ratio(a, b, SAMPLES, 7, &arena, &x, &y, NULL), PAWL_OK);
  assert_int_equal(pawl_round_ratio(b, a, SAMPLES, 7, &arena, &u, &v, NULL), PAWL_OK);
  assert_true(fabs(x - v) <= 1e-12);
  assert_true(fabs(y - u) <= 1e-12);
  pawl_arena_clear(&arena);
}

static void times_of_nothing_are_refused(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const double a[] = {1, 1}, zero[] = {0, 0}, nan[] = {1, NAN};
  double x = -1, y = -1;
  assert_int_equal(pawl_round_ratio(a, zero, 2, 2, &arena, &x, &y, NULL), PAWL_BAD_DATA);
  assert_int_equal(pawl_round_ratio(a, nan, 2, 2, &arena, &x, &y, NULL), PAWL_BAD_DATA);
  assert_true(x == -1 && y == -1);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_share_all_samples),
      cmocka_unit_test(of_one_round_are_the_medians),
      cmocka_unit_test(a_state_that_flips_between_rounds_cancels),
      cmocka_unit_test(swapped_arms_swap_the_times),
      cmocka_unit_test(times_of_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
