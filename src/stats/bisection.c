/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/bisection.h"

#include <math.h>
#include <string.h>

#include "stats/describe.h"
#include "stats/sort.h"

#define FREEDOM 5.0          /* for Student's t */
#define BETWEEN_BUILDS 0.003 /* the most that builds of one speed differ; sd of the log-ratio */
#define BUILD_SHARE 8.0
#define LEAST_SD 0.0005 /* a clock and few blocks can make all blocks equal */

/* Returns the logarithm of Student's density without its constant. */
static double log_density(double distance, double variance) {
  return -(FREEDOM + 1) / 2 * log1p(distance * distance / (FREEDOM * variance));
}

double pawl_bisection_evidence(const double *log_ratios, size_t count, double change, double sd,
                               double *scratch) {
  if (count == 0) return 0;
  const double builds = fmin(BETWEEN_BUILDS, fabs(change) / BUILD_SHARE);
  const double noise = fmax(sd, LEAST_SD);
  const double error = PAWL_ERROR_OF_MEDIAN * noise;
  const double variance = error * error / (double)count + builds * builds;
  memcpy(scratch, log_ratios, count * sizeof *scratch);
  pawl_sort_doubles(scratch, count);
  const double median = pawl_median(scratch, count);
  return log_density(median - change, variance) - log_density(median, variance);
}

void pawl_bisection_weights(const struct pawl_bisection *search, double *weights) {
  double sum = 0, greatest = -INFINITY, total = 0;
  weights[0] = 0;
  /* commit k is the first changed one: each measured commit i >= k is changed */
  for (size_t k = search->count; k > 0; k--) {
    if (k < search->count) sum += search->evidence[k];
    weights[k] = sum + (search->prior ? search->prior[k] : 0);
    greatest = fmax(greatest, weights[k]);
  }
  for (size_t k = 1; k <= search->count; k++) total += weights[k] = exp(weights[k] - greatest);
  for (size_t k = 1; k <= search->count; k++) weights[k] /= total;
}

struct pawl_bisection_range pawl_bisection_range(const struct pawl_bisection *search,
                                                 const double *weights) {
  struct pawl_bisection_range best = {0, search->count, 0};
  double sum = 0;
  for (size_t k = 1, after = 0; k <= search->count; k++) {
    sum += weights[k];
    if (k < search->count && !search->testable[k]) continue;
    if (sum > best.probability) best = (struct pawl_bisection_range){after, k, sum};
    after = k;
    sum = 0;
  }
  return best;
}

/* Returns the measurable commit between two others that splits the weight of after+1..last most
   evenly, or 0. */
static size_t bisection_split(const struct pawl_bisection *search, const double *weights,
                              size_t after, size_t last) {
  double total = 0, sum = 0, nearest = INFINITY;
  size_t split = 0;
  for (size_t k = after + 1; k <= last; k++) total += weights[k];
  for (size_t k = after + 1; k < last; k++) {
    sum += weights[k];
    if (!search->testable[k] || fabs(sum - total / 2) >= nearest) continue;
    nearest = fabs(sum - total / 2);
    split = k;
  }
  return split;
}

size_t pawl_bisection_next(const struct pawl_bisection *search, const double *weights) {
  return bisection_split(search, weights, 0, search->count);
}

static size_t bisection_ahead(const struct pawl_bisection *search, const double *weights,
                              size_t after, size_t last, int depth, size_t *out) {
  const size_t split = depth ? bisection_split(search, weights, after, last) : 0;
  if (!split) return 0;
  out[0] = split;
  size_t count = 1;
  count += bisection_ahead(search, weights, after, split, depth - 1, out + count);
  count += bisection_ahead(search, weights, split, last, depth - 1, out + count);
  return count;
}

size_t pawl_bisection_ahead(const struct pawl_bisection *search, const double *weights, int depth,
                            size_t *out) {
  return bisection_ahead(search, weights, 0, search->count, depth, out);
}
