/* SPDX-License-Identifier: Apache-2.0 */
/* Percentile bootstrap of the median: Efron and Tibshirani, "An Introduction to the Bootstrap",
   1993, chapter 13. A resample is n draws with replacement from the sorted samples x[0..n-1]. Only
   its middle order statistics matter, and their ranks depend on n and on chance, never on the
   values. A plan draws the ranks once, for any number of sample sets of the same size. Applying it
   costs a look-up for each distinct pair of ranks.

   The plan draws the ranks without the resample. A draw is x[floor(n U)], U uniform on (0,1), and
   floor(n .) keeps the order. So the k-th smallest draw is x[floor(n U_(k))], where U_(k) is the
   k-th smallest of n uniforms. U_(1..n) are distributed as the partial sums of n + 1 exponential
   spacings over their total (Devroye, "Non-Uniform Random Variate Generation", 1986, chapter V.2),
   and a sum of k exponentials is one Gamma(k) variate. So the median's ranks take two gamma
   variates and, for even n, one exponential. This is exactly the distribution of real resamples, at
   a cost that does not grow with n. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/philox.h"

#define PAWL_BOOTSTRAP_CONFIDENCE 0.95
#define PAWL_BOOTSTRAP_RESAMPLES 10000u
#define PAWL_BOOTSTRAP_SEED 42u
#define PAWL_BOOTSTRAP_MAX_RESAMPLES 10000000u

/* The ranks of a resample's two middle draws, x[low] and x[high]. They are the same draw if n is
   odd. */
struct pawl_rank_pair {
  uint32_t low, high;
  uint32_t count; /* the plan's resamples with this pair */
};

struct pawl_bootstrap_plan {
  size_t sample_count; /* n */
  uint32_t resamples;
  uint64_t seed;
  size_t pair_count;
  struct pawl_rank_pair *pairs; /* distinct, by low, then high */
};

/* Draws a plan. Fails with PAWL_BAD_DATA if sample_count is 0 or above 2^32 - 1, and with
   PAWL_USAGE if resamples is 0 or above the maximum. */
pawl_status pawl_bootstrap_plan_init(struct pawl_bootstrap_plan *plan, size_t sample_count,
                                     uint32_t resamples, uint64_t seed, struct pawl_error *err);
void pawl_bootstrap_plan_release(struct pawl_bootstrap_plan *plan);

/* Computes the interval with the middle `confidence` of the resamples' medians (0 < confidence < 1,
   else PAWL_USAGE). Linear interpolation gives its ends. `sorted` has plan->sample_count finite
   samples, ascending. Both ends are NaN for a single sample, which has no spread. */
pawl_status pawl_bootstrap_plan_apply(const struct pawl_bootstrap_plan *plan, const double *sorted,
                                      double confidence, double *low, double *high,
                                      struct pawl_error *err);

/* Plans by the number of samples. Drawing a plan is most of the cost of an interval, so pawl draws
 * each when it first needs it. A zeroed struct is empty. */
struct pawl_bootstrap_plans {
  struct pawl_bootstrap_plan *items;
  size_t count, capacity;
};
void pawl_bootstrap_plans_release(struct pawl_bootstrap_plans *plans);

/* Computes the interval of the median of `count` sorted samples at PAWL_BOOTSTRAP_CONFIDENCE, or
   NaN for a single one. */
pawl_status pawl_bootstrap_plans_median_ci(struct pawl_bootstrap_plans *plans, const double *sorted,
                                           size_t count, double *low, double *high,
                                           struct pawl_error *err);

/* Computes the interval of raw samples with a plan of its own. Fails with PAWL_BAD_DATA like
   pawl_sorted_copy. */
pawl_status pawl_bootstrap_median_ci(const double *samples, size_t count, double confidence,
                                     uint32_t resamples, uint64_t seed, double *low, double *high,
                                     struct pawl_error *err);

/* Draws the positions of a resample's middle draws in the order of n uniforms: 0 < *low <= *high <
   1. The ranks are floor(n * low) and floor(n * high). Odd n has *low == *high. */
void pawl_bootstrap_draw_middle(struct pawl_random *random, size_t n, double *low, double *high);

/* Returns the stream of Philox from which a plan with `seed` draws its resamples one after
 * another. */
struct pawl_random pawl_bootstrap_stream(uint64_t seed);
