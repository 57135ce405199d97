/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussian process against numpy and scipy (cho_factor, cho_solve, slogdet, norm) with the same covariance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/gaussian.h"

#define AXES 3
static const double points[][AXES] = {{0, 0, 0}, {.25, 1, 1}, {.5, .5, 0}, {.75, .25, 2}, {1, 1, 1}, {.1, .9, 2}};
static const double values[] = {1.0, 1.4, .6, .9, 2.0, 1.1};
static const double lengths[] = {.4, 1.0, .8};
static const bool ordinal[] = {true, true, false};

static void make(struct pawl_gaussian *process) {
  pawl_gaussian_init(process, &points[0][0], values, 6, ordinal, AXES);
  memcpy(process->lengths, lengths, sizeof lengths);
  process->noise = 0.01;
}

static void near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-9)) fail_msg("%.12f is not %.12f", value, expected);
}

static void test_against_scipy(void **state) {
  (void)state;
  static const struct {
    double point[AXES], mean, deviation, improvement;
  } rows[] = {{{.3, .3, 0}, 0.709245751274, 0.217869608410, 0.0429979977654},
              {{.9, .1, 3}, 1.166920035745, 0.438304292419, 0.0202350763611},
              {{.25, 1, 1}, 1.396714368336, 0.047870836019, 0}};
  struct pawl_gaussian process;
  make(&process);
  assert_true(pawl_gaussian_condition(&process));
  near(process.log_likelihood, -3.846107250130);
  near(process.variance, 0.231996998631);
  for (size_t i = 0; i < 3; i++) {
    double mean, deviation;
    pawl_gaussian_predict(&process, rows[i].point, &mean, &deviation);
    near(mean, rows[i].mean);
    near(deviation, rows[i].deviation);
    near(pawl_expected_improvement(.6, mean, deviation), rows[i].improvement);
  }
  pawl_gaussian_release(&process);
}

static void test_fit_raises_the_likelihood(void **state) {
  (void)state;
  struct pawl_gaussian process;
  make(&process);
  assert_true(pawl_gaussian_condition(&process));
  const double before = process.log_likelihood;
  assert_true(pawl_gaussian_fit(&process));
  assert_true(process.log_likelihood > before);
  pawl_gaussian_release(&process);
}

/* An axis that says nothing gets a great length, one that says all a short one. */
static void test_fit_finds_the_axis(void **state) {
  (void)state;
  double at[40][2], y[40];
  const bool both[] = {true, true};
  for (int i = 0; i < 40; i++) {
    at[i][0] = (i % 8) / 7.0;
    at[i][1] = (i / 8) / 4.0;
    y[i] = sin(6 * at[i][0]);
  }
  struct pawl_gaussian process;
  pawl_gaussian_init(&process, &at[0][0], y, 40, both, 2);
  assert_true(pawl_gaussian_fit(&process));
  assert_true(process.lengths[1] >= 4 * process.lengths[0]);
  const double between[] = {0.5 / 7, 0.3};
  double mean, deviation;
  pawl_gaussian_predict(&process, between, &mean, &deviation);
  assert_true(fabs(mean - sin(3.0 / 7)) < 0.1);
  pawl_gaussian_release(&process);
}

static void test_limits(void **state) {
  (void)state;
  near(pawl_expected_improvement(1, 0.75, 0), 0.25);
  near(pawl_expected_improvement(1, 2, 0), 0);
  assert_true(pawl_expected_improvement(1, 50, 0.1) >= 0);
  struct pawl_gaussian process;
  const double twice[][AXES] = {{0, 0, 0}, {0, 0, 0}}, same[] = {1, 1};
  pawl_gaussian_init(&process, &twice[0][0], same, 2, ordinal, AXES);
  process.noise = 0;
  double mean = NAN, deviation = NAN;
  if (pawl_gaussian_condition(&process)) { /* equal points, no noise: what rounding leaves must still be numbers */
    pawl_gaussian_predict(&process, twice[0], &mean, &deviation);
    assert_true(isfinite(mean) && deviation >= 0);
  }
  pawl_gaussian_release(&process);
  pawl_gaussian_init(&process, NULL, NULL, 0, ordinal, AXES);
  assert_false(pawl_gaussian_condition(&process));
  pawl_gaussian_release(&process);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_scipy),
                                     cmocka_unit_test(test_fit_raises_the_likelihood),
                                     cmocka_unit_test(test_fit_finds_the_axis), cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
