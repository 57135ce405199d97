/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "../data/stats/vectors.h"
#include "base/memory.h"
#include "base/philox.h"
#include "stats/describe.h"
#include "stats/sort.h"

static void assert_close(double ours, double reference) {
  if (isnan(reference))
    assert_true(isnan(ours));
  else
    assert_true(fabs(ours - reference) <= 1e-9 * fabs(reference));
}

static void agrees_with_numpy(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof describe_vectors / sizeof *describe_vectors; i++) {
    struct pawl_summary s;
    const double *f = describe_vectors[i].figures;
    assert_int_equal(pawl_summarize(describe_vectors[i].x, describe_vectors[i].n, &s, NULL),
                     PAWL_OK);
    const double ours[] = {s.median, s.mean, s.std, s.min, s.max, s.p50, s.p95, s.p99, s.cv};
    assert_int_equal(s.count, describe_vectors[i].n);
    for (size_t k = 0; k < 9; k++) assert_close(ours[k], f[k]);
  }
}

static void one_sample_has_no_spread(void **state) {
  (void)state;
  const double one = 0.25;
  struct pawl_summary s;
  assert_int_equal(pawl_summarize(&one, 1, &s, NULL), PAWL_OK);
  assert_true(s.median == 0.25 && s.p99 == 0.25 && s.mean == 0.25);
  assert_true(isnan(s.std) && isnan(s.cv));
}

static void bad_samples_are_named(void **state) {
  (void)state;
  const double bad[] = {1, 2, NAN, INFINITY};
  struct pawl_summary s = {.count = 77};
  struct pawl_error err;
  assert_int_equal(pawl_summarize(bad, 4, &s, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "sample 2 of 4"));
  assert_int_equal(pawl_summarize(bad + 3, 1, &s, &err), PAWL_BAD_DATA);
  assert_int_equal(pawl_summarize(NULL, 0, &s, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "no samples"));
  assert_int_equal(s.count, 77); /* untouched */
}

static void extreme_samples_do_not_overflow(void **state) {
  (void)state;
  const double huge[] = {DBL_MAX, DBL_MAX, -DBL_MAX, DBL_MAX}, zeros[] = {0, -0.0, 0},
               tiny[] = {5e-324, 5e-324, 1e-323};
  struct pawl_summary s;
  assert_int_equal(pawl_summarize(huge, 4, &s, NULL), PAWL_OK);
  assert_close(s.mean, DBL_MAX / 2);
  assert_close(s.std, DBL_MAX);
  assert_true(s.median == DBL_MAX && isfinite(s.p95));
  assert_int_equal(pawl_summarize(huge, 2, &s, NULL), PAWL_OK);
  assert_true(s.median == DBL_MAX && s.mean == DBL_MAX && s.std == 0);
  assert_int_equal(pawl_summarize(zeros, 3, &s, NULL), PAWL_OK);
  assert_true(s.std == 0 && isnan(s.cv));
  assert_int_equal(pawl_summarize(tiny, 3, &s, NULL), PAWL_OK);
  assert_true(s.median == 5e-324 && s.max == 1e-323);
}

static void quantiles_interpolate(void **state) {
  (void)state;
  const double x[] = {1, 2, 4, 8};
  assert_true(pawl_quantile(x, 4, 0) == 1 && pawl_quantile(x, 4, 1) == 8);
  assert_true(pawl_quantile(x, 4, 0.5) == 3 && pawl_median(x, 3) == 2);
  assert_true(pawl_quantile(x, 4, 0.25) == 1.75);
  assert_true(pawl_interpolate(-1e17, 1, 1) == 1 && pawl_interpolate(1, -1e17, 0) == 1);
  assert_close(pawl_interpolate(-DBL_MAX, DBL_MAX, 0.75), DBL_MAX / 2);
  assert_true(isnan(pawl_quantile(x, 4, 1.5)) && isnan(pawl_quantile(x, 4, NAN)) &&
              isnan(pawl_quantile(x, 0, 0.5)));
}

static void sorts_any_numbers(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(1, 0);
  for (size_t n = 0; n < 2600; n += n < 60 ? 1 : 197) {
    double *x = pawl_alloc(n, sizeof *x), *sorted = pawl_alloc(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
      x[i] = ldexp(pawl_random_double(&random) - 0.5, (int)pawl_random_below(&random, 2000) - 1000);
      if (pawl_random_below(&random, 4) == 0) x[i] = (double)pawl_random_below(&random, 3) - 1;
    }
    if (n > 3) x[1] = INFINITY, x[2] = -INFINITY, x[3] = -0.0;
    memcpy(sorted, x, n * sizeof *x);
    pawl_sort_doubles(sorted, n);
    for (size_t i = 0; i + 1 < n; i++) assert_true(sorted[i] <= sorted[i + 1]);
    for (size_t i = 0; i < n; i++) { /* a permutation: each value as often as before */
      size_t before = 0, after = 0;
      for (size_t k = 0; k < n; k++) before += x[k] == x[i], after += sorted[k] == x[i];
      assert_int_equal(before, after);
    }
    pawl_free(x);
    pawl_free(sorted);
  }
}

static void an_outlier_hardly_moves_the_robust_deviation(void **state) {
  (void)state;
  double values[] = {3, 1, 2, 5, 4}, wild[] = {3, 1, 2, 5, 1e9}, one[] = {1};
  assert_true(fabs(pawl_robust_deviation(values, 5) - 1.4826) < 1e-12);
  assert_true(fabs(pawl_robust_deviation(wild, 5) - 2 * 1.4826) < 1e-12);
  assert_true(isnan(pawl_robust_deviation(one, 1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_numpy),
      cmocka_unit_test(one_sample_has_no_spread),
      cmocka_unit_test(bad_samples_are_named),
      cmocka_unit_test(extreme_samples_do_not_overflow),
      cmocka_unit_test(quantiles_interpolate),
      cmocka_unit_test(an_outlier_hardly_moves_the_robust_deviation),
      cmocka_unit_test(sorts_any_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
