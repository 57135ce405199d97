/* SPDX-License-Identifier: Apache-2.0 */
/* Percentile bootstrap of the median: Efron and Tibshirani, "An Introduction to the Bootstrap",
   1993, chapter 13.

   A resample is n draws with replacement from the sorted samples x[0..n-1]; only its middle order
   statistics matter, and which ranks they have depends on n and on chance, never on the values. A
   plan draws the ranks once, for any number of sample sets of the same size; applying it costs a
   look-up for each distinct pair of ranks.

   The ranks are drawn without drawing the resample. A draw is x[floor(n U)], U uniform on (0,1),
   and floor(n .) keeps order: so the k-th smallest draw is x[floor(n U_(k))], U_(k) the k-th
   smallest of n uniforms. U_(1..n) are distributed as the partial sums of n + 1 exponential
   spacings over their total (Devroye, "Non-Uniform Random Variate Generation", 1986, chapter V.2),
   and a sum of k exponentials is one Gamma(k) variate. So the median's ranks take two gamma
   variates and, for even n, one exponential: exactly the distribution of real resamples, at a cost
   that does not grow with n. */
#ifndef PAWL_STATS_BOOTSTRAP_H
#define PAWL_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/philox.h"

#define PAWL_BOOTSTRAP_CONFIDENCE 0.95
#define PAWL_BOOTSTRAP_RESAMPLES 10000u
#define PAWL_BOOTSTRAP_SEED 42u
#define PAWL_BOOTSTRAP_MAX_RESAMPLES 10000000u

/* A resample whose two middle draws are x[low] and x[high]; they are the same draw when n is odd.
 */
struct pawl_rank_pair {
  uint32_t low, high;
  uint32_t count; /* how many resamples of the plan have this pair */
};

struct pawl_bootstrap_plan {
  size_t sample_count; /* n */
  uint32_t resamples;
  uint64_t seed;
  size_t pair_count;
  struct pawl_rank_pair *pairs; /* distinct, by low, then high */
};

/* PAWL_BAD_DATA when sample_count is 0 or above 2^32 - 1; PAWL_USAGE when resamples is 0 or above
 * the maximum. */
pawl_status pawl_bootstrap_plan_init(struct pawl_bootstrap_plan *plan, size_t sample_count,
                                     uint32_t resamples, uint64_t seed, struct pawl_error *err);
void pawl_bootstrap_plan_release(struct pawl_bootstrap_plan *plan);

/* The interval that holds the middle `confidence` (0 < confidence < 1, else PAWL_USAGE) of the
   resamples' medians, its ends by linear interpolation. `sorted` holds plan->sample_count finite
   samples, ascending. A single sample tells nothing of its spread: both ends are NaN. */
pawl_status pawl_bootstrap_plan_apply(const struct pawl_bootstrap_plan *plan, const double *sorted,
                                      double confidence, double *low, double *high,
                                      struct pawl_error *err);

/* Plans by number of samples, each drawn when it is first needed: drawing is most of the cost of an
   interval. All zero is empty. */
struct pawl_bootstrap_plans {
  struct pawl_bootstrap_plan *items;
  size_t count, capacity;
};
void pawl_bootstrap_plans_release(struct pawl_bootstrap_plans *plans);

/* The interval of the median of `count` sorted samples at PAWL_BOOTSTRAP_CONFIDENCE; NaN for a
 * single one. */
pawl_status pawl_bootstrap_plans_median_ci(struct pawl_bootstrap_plans *plans, const double *sorted,
                                           size_t count, double *low, double *high,
                                           struct pawl_error *err);

/* The same of raw samples, with a plan of its own. PAWL_BAD_DATA as pawl_sorted_copy. */
pawl_status pawl_bootstrap_median_ci(const double *samples, size_t count, double confidence,
                                     uint32_t resamples, uint64_t seed, double *low, double *high,
                                     struct pawl_error *err);

/* Where the middle draws of one resample of n lie among n uniforms' order: 0 < *low <= *high < 1;
   the ranks are floor(n * low) and floor(n * high). One number (*low == *high) for odd n. */
void pawl_bootstrap_draw_middle(struct pawl_random *random, size_t n, double *low, double *high);

/* The stream of Philox that a plan with `seed` draws its resamples from, one after another. */
struct pawl_random pawl_bootstrap_stream(uint64_t seed);

#endif
