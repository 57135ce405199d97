/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs these four first */
#include <cmocka.h>
#include <math.h>

#include "stats/changepoint.h"
#include "stats/variates.h"

#define COUNT 120

static struct pawl_level_change found[COUNT];

/* 1 % of noise around 1. */
static void draw(double *values, size_t count, uint64_t seed) {
  struct pawl_random random = pawl_random_init(seed, 0);
  for (size_t i = 0; i < count; i++) values[i] = 1 + 0.01 * pawl_draw_normal(&random);
}

static void test_a_step(void **state) {
  (void)state;
  double values[COUNT];
  struct pawl_series_noise noise;
  draw(values, COUNT, 1);
  for (size_t i = 70; i < COUNT; i++) values[i] *= 1.08;
  assert_int_equal(pawl_changepoints(values, COUNT, found, &noise), 1);
  assert_int_equal(found[0].index, 70);
  assert_true(fabs(found[0].size - 0.08) < 0.008);
  assert_true(fabs(found[0].before - 1) < 0.005 && fabs(found[0].after - 1.08) < 0.006);
  assert_true(found[0].confidence > 0.999999 && found[0].confidence <= 1);
  assert_true(noise.sd > 0.008 && noise.sd < 0.012);
  for (size_t i = 0; i < COUNT; i++) values[i] *= 1e-6; /* the unit does not matter */
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 1);
  assert_int_equal(found[0].index, 70);
}

static void test_up_and_down(void **state) {
  (void)state;
  double values[COUNT];
  draw(values, COUNT, 2);
  for (size_t i = 30; i < 60; i++) values[i] *= 1.06;
  for (size_t i = 90; i < COUNT; i++) values[i] *= 0.93;
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 3);
  assert_true(found[0].size > 0 && found[1].size < 0 && found[2].size < 0);
  assert_int_equal(found[1].index, 60);
}

static void test_noise_is_no_change(void **state) {
  (void)state;
  double values[COUNT];
  for (uint64_t seed = 10; seed < 40; seed++) {
    draw(values, COUNT, seed);
    assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 0);
  }
}

static void test_outliers_are_no_change(void **state) {
  (void)state;
  double values[COUNT];
  draw(values, COUNT, 3);
  values[20] = 50, values[21] = 40, values[80] = 1e9,
  values[COUNT - 1] = 3; /* the newest is not believed alone */
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 0);
}

static void test_drift_is_no_change(void **state) {
  (void)state;
  double values[COUNT];
  draw(values, COUNT, 4);
  for (size_t i = 0; i < COUNT; i++) values[i] *= 1 + 0.1 * (double)i / COUNT;
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 0);
}

static void test_without_any_noise(void **state) {
  (void)state;
  double values[COUNT];
  for (size_t i = 0; i < COUNT; i++) values[i] = 5;
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 0);
  for (size_t i = 60; i < COUNT; i++) values[i] = 5.1;
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 1);
  assert_int_equal(found[0].index, 60);
}

static void test_few_values(void **state) {
  (void)state;
  const double values[PAWL_CHANGE_LEAST] = {1, 1, 1, 9, 9, 9, 9};
  struct pawl_series_noise noise;
  assert_int_equal(pawl_changepoints(values, 0, found, &noise), 0);
  assert_int_equal(pawl_changepoints(values, PAWL_CHANGE_LEAST - 1, found, &noise), 0);
  assert_true(isnan(noise.sd));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_step),
      cmocka_unit_test(test_up_and_down),
      cmocka_unit_test(test_noise_is_no_change),
      cmocka_unit_test(test_outliers_are_no_change),
      cmocka_unit_test(test_drift_is_no_change),
      cmocka_unit_test(test_without_any_noise),
      cmocka_unit_test(test_few_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
