/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/memory.h"
#include "stats/bootstrap.h"
#include "stats/describe.h"
#include "stats/sort.h"
#include "stats/variates.h"

static double *lognormal_samples(size_t n, uint64_t seed) {
  struct pawl_random random = pawl_random_init(seed, 1);
  double *x = pawl_alloc(n, sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = exp(pawl_draw_normal(&random));
  pawl_sort_doubles(x, n);
  return x;
}

/* One whole resample around the middle draws that `middle` yields: the rest uniform below and above
 * them. */
static void complete_resample(struct pawl_random *middle, struct pawl_random *rest, const double *x,
                              size_t n, double *resample) {
  double low, high;
  pawl_bootstrap_draw_middle(middle, n, &low, &high);
  const size_t below = (n - 1) / 2;
  for (size_t i = 0; i < n; i++) {
    double position = low;
    if (i < below) position = low * pawl_random_double(rest);
    if (i == below + 1 && n % 2 == 0)
      position = high;
    else if (i > below)
      position = high + (1 - high) * pawl_random_double(rest);
    const size_t rank = (size_t)(position * (double)n);
    resample[i] = x[rank < n ? rank : n - 1];
  }
}

/* The plan's interval equals, bit for bit, that of whole resamples which have the same middle
 * draws. */
static void equals_whole_resamples(void **state) {
  (void)state;
  enum { RESAMPLES = 500 };
  const size_t sizes[] = {2, 3, 4, 5, 10, 31, 100, 257};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const size_t n = sizes[s];
    double *x = lognormal_samples(n, s), *resample = pawl_alloc(n, sizeof *resample),
           medians[RESAMPLES];
    struct pawl_random middle = pawl_bootstrap_stream(9), rest = pawl_random_init(10, 3);
    for (size_t i = 0; i < RESAMPLES; i++) {
      complete_resample(&middle, &rest, x, n, resample);
      pawl_sort_doubles(resample, n);
      medians[i] = pawl_median(resample, n);
    }
    pawl_sort_doubles(medians, RESAMPLES);
    for (double confidence = 0.05; confidence < 1;
         confidence += 0.05) { /* some ends fall between two medians */
      double low, high;
      assert_int_equal(pawl_bootstrap_median_ci(x, n, confidence, RESAMPLES, 9, &low, &high, NULL),
                       PAWL_OK);
      assert_true(low == pawl_quantile(medians, RESAMPLES, (1 - confidence) / 2));
      assert_true(high == pawl_quantile(medians, RESAMPLES, 1 - (1 - confidence) / 2));
    }
    pawl_free(x);
    pawl_free(resample);
  }
}

/* Chi-square of the plan's counts of `low` and of `high` against resamples whose every index is
 * drawn. */
static void assert_same_distribution(size_t n, uint32_t resamples) {
  struct pawl_bootstrap_plan plan;
  assert_int_equal(pawl_bootstrap_plan_init(&plan, n, resamples, 5, NULL), PAWL_OK);
  double *index = pawl_alloc(n, sizeof *index), counts[4][64] = {{0}}, gap[2] = {0};
  struct pawl_random random = pawl_random_init(6, 2);
  uint64_t total = 0;
  for (uint32_t i = 0; i < resamples; i++) {
    for (size_t k = 0; k < n; k++) index[k] = pawl_random_below(&random, (uint32_t)n);
    pawl_sort_doubles(index, n);
    counts[0][(size_t)index[(n - 1) / 2]]++;
    counts[1][(size_t)index[n / 2]]++;
    gap[0] += index[n / 2] == index[(n - 1) / 2];
  }
  for (size_t i = 0; i < plan.pair_count; i++) {
    const struct pawl_rank_pair *pair = &plan.pairs[i];
    assert_true(pair->low <= pair->high && pair->high < n && pair->count > 0);
    counts[2][pair->low] += pair->count;
    counts[3][pair->high] += pair->count;
    if (pair->low == pair->high) gap[1] += pair->count;
    total += pair->count;
  }
  assert_int_equal(total, resamples);
  for (size_t which = 0; which < 2; which++) {
    double statistic = 0, freedom = -1;
    for (size_t rank = 0; rank < n; rank++) {
      const double a = counts[which][rank], b = counts[which + 2][rank];
      if (a + b < 10) continue;
      statistic += (a - b) * (a - b) / (a + b);
      freedom++;
    }
    assert_true(statistic <=
                freedom + 5 * sqrt(2 * freedom) + 5); /* five standard deviations and some */
  }
  assert_true(fabs(gap[0] - gap[1]) <=
              5 * sqrt(gap[0] + gap[1]) + 1); /* how often both middle draws are one sample */
  pawl_free(index);
  pawl_bootstrap_plan_release(&plan);
}

static void ranks_are_distributed_as_drawn_indices(void **state) {
  (void)state;
  const size_t sizes[] = {2, 3, 5, 6, 21, 40, 63};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    assert_same_distribution(sizes[s], 20000);
}

static void intervals_follow_the_samples(void **state) {
  (void)state;
  double *x = lognormal_samples(100, 3), moved[100], low, high, low2, high2;
  assert_int_equal(pawl_bootstrap_median_ci(x, 100, 0.95, 10000, 42, &low, &high, NULL), PAWL_OK);
  assert_true(low < pawl_median(x, 100) && pawl_median(x, 100) < high);
  for (size_t i = 0; i < 100; i++) moved[99 - i] = 4 * x[i]; /* scaled, and in another order */
  assert_int_equal(pawl_bootstrap_median_ci(moved, 100, 0.95, 10000, 42, &low2, &high2, NULL),
                   PAWL_OK);
  assert_true(low2 == 4 * low && high2 == 4 * high);
  assert_int_equal(pawl_bootstrap_median_ci(x, 100, 0.5, 10000, 42, &low2, &high2, NULL), PAWL_OK);
  assert_true(low < low2 && high2 < high);
  assert_int_equal(pawl_bootstrap_median_ci(x, 100, 0.95, 30, 42, &low, &high, NULL), PAWL_OK);
  assert_int_equal(pawl_bootstrap_median_ci(x, 100, 0.95, 30, 43, &low2, &high2, NULL), PAWL_OK);
  assert_true(low2 != low ||
              high2 != high); /* the seed matters, though little among thousands of resamples */
  pawl_free(x);
}

/* About 95 of 100 intervals hold the true median (1); fewer than 85 or more than 99 would tell of a
 * wrong tail. */
static void intervals_cover(void **state) {
  (void)state;
  struct pawl_bootstrap_plan plan;
  assert_int_equal(pawl_bootstrap_plan_init(&plan, 60, 2000, 1, NULL), PAWL_OK);
  int covered = 0;
  for (uint64_t trial = 0; trial < 400; trial++) {
    double *x = lognormal_samples(60, 1000 + trial), low, high;
    assert_int_equal(pawl_bootstrap_plan_apply(&plan, x, 0.95, &low, &high, NULL), PAWL_OK);
    covered += low <= 1 && 1 <= high;
    pawl_free(x);
  }
  assert_in_range(covered, 360, 396);
  pawl_bootstrap_plan_release(&plan);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  const double x[] = {1, 2, NAN}, constant[] = {3, 3, 3, 3};
  double low = 7, high = 7;
  struct pawl_bootstrap_plan plan;
  struct pawl_error err;
  assert_int_equal(pawl_bootstrap_median_ci(x, 3, 0.95, 100, 1, &low, &high, &err), PAWL_BAD_DATA);
  assert_int_equal(pawl_bootstrap_median_ci(x, 0, 0.95, 100, 1, &low, &high, &err), PAWL_BAD_DATA);
  assert_int_equal(pawl_bootstrap_median_ci(x, 2, 1, 100, 1, &low, &high, &err), PAWL_USAGE);
  assert_int_equal(pawl_bootstrap_median_ci(x, 2, NAN, 100, 1, &low, &high, &err), PAWL_USAGE);
  assert_int_equal(pawl_bootstrap_plan_init(&plan, 5, 0, 1, &err), PAWL_USAGE);
  assert_int_equal(pawl_bootstrap_plan_init(&plan, 5, UINT32_MAX, 1, &err), PAWL_USAGE);
  assert_int_equal(pawl_bootstrap_plan_init(&plan, SIZE_MAX, 10, 1, &err), PAWL_BAD_DATA);
  assert_true(low == 7 && high == 7);
  assert_int_equal(pawl_bootstrap_median_ci(x, 1, 0.95, 100, 1, &low, &high, &err), PAWL_OK);
  assert_true(isnan(low) && isnan(high));
  assert_int_equal(pawl_bootstrap_median_ci(constant, 4, 0.95, 1, 1, &low, &high, &err), PAWL_OK);
  assert_true(low == 3 && high == 3);
  pawl_bootstrap_plan_release(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_whole_resamples),
      cmocka_unit_test(ranks_are_distributed_as_drawn_indices),
      cmocka_unit_test(intervals_follow_the_samples),
      cmocka_unit_test(intervals_cover),
      cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
