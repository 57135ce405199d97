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
#define LONG 448

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

/* Eight weeks of 56 runs. The wave is no change, and a loss in between is. */
static void test_a_weekly_rhythm(void **state) {
  (void)state;
  double values[LONG];
  static struct pawl_level_change changes[LONG];
  struct pawl_series_noise noise;
  draw(values, LONG, 5);
  for (size_t i = 0; i < LONG; i++) values[i] += 0.03 * sin((double)i * 6.283185307 / 56);
  assert_int_equal(pawl_changepoints(values, LONG, changes, &noise), 0);
  assert_true(noise.sd > 0.02); /* a comparison of two days meets the rhythm */
  for (size_t i = 250; i < LONG; i++) values[i] *= 1.06;
  assert_int_equal(pawl_changepoints(values, LONG, changes, NULL), 1);
  assert_int_equal(changes[0].index, 250);
}

/* Ten times as much noise from a place on. Noise that counts as equal everywhere gives 9 changes.
 */
static void test_noise_that_grows(void **state) {
  (void)state;
  double values[COUNT];
  size_t wrong = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct pawl_random random = pawl_random_init(seed, 0);
    for (size_t i = 0; i < COUNT; i++)
      values[i] = 1 + (i < 80 ? 0.002 : 0.02) * pawl_draw_normal(&random);
    wrong += pawl_changepoints(values, COUNT, found, NULL) > 0;
  }
  assert_true(wrong <= 1);
  draw(values, COUNT, 6);
  for (size_t i = 0; i < COUNT; i++) values[i] = 1 + (values[i] - 1) * (i < 60 ? 0.2 : 2);
  for (size_t i = 30; i < COUNT; i++) values[i] *= 1.02; /* ten times the noise of its place */
  assert_int_equal(pawl_changepoints(values, COUNT, found, NULL), 1);
  assert_int_equal(found[0].index, 30);
}

static void test_two_modes_become_one(void **state) {
  (void)state;
  double values[LONG];
  static struct pawl_level_change changes[LONG];
  size_t hits = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct pawl_random random = pawl_random_init(seed, 1);
    draw(values, LONG, seed);
    for (size_t i = 0; i < 200; i++) values[i] *= pawl_random_below(&random, 2) ? 1.05 : 1;
    const size_t count = pawl_changepoints(values, LONG, changes, NULL);
    hits += count == 1 && changes[0].index > 180 && changes[0].index < 210 && changes[0].size < 0;
  }
  assert_true(hits >= 18);
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
      cmocka_unit_test(test_a_weekly_rhythm),
      cmocka_unit_test(test_noise_that_grows),
      cmocka_unit_test(test_two_modes_become_one),
      cmocka_unit_test(test_without_any_noise),
      cmocka_unit_test(test_few_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
