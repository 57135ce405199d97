/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/describe.h"

#include <math.h>

#include "base/memory.h"
#include "stats/sort.h"

double pawl_interpolate(double a, double b, double t) {
  if (a == b || t == 0.0) return a;
  if (t == 0.5) return isfinite(a + b) ? (a + b) / 2 : a / 2 + b / 2;
  const double step = b - a;
  if (!isfinite(step)) return a * (1 - t) + b * t;
  return t < 0.5 ? a + step * t : b - step * (1 - t);
}

double pawl_quantile(const double *sorted, size_t count, double fraction) {
  if (count == 0 || !(fraction >= 0 && fraction <= 1)) return NAN;
  const double position = fraction * (double)(count - 1);
  const size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  return pawl_interpolate(sorted[below], sorted[below + 1], position - (double)below);
}

double pawl_median(const double *sorted, size_t count) { return pawl_quantile(sorted, count, 0.5); }

/* A long double has the larger exponents that a sum of doubles, or of their squares, may need. */
static void mean_and_std(const double *samples, size_t count, double *mean, double *std) {
  long double sum = 0;
  for (size_t i = 0; i < count; i++) sum += samples[i];
  const long double centre = sum / (long double)count;
  *mean = (double)centre;
  *std = NAN;
  if (count < 2) return;
  long double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (samples[i] - centre) * (samples[i] - centre);
  const double deviation = (double)sqrtl(squares / (long double)(count - 1));
  if (isfinite(deviation)) *std = deviation;
}

void pawl_summarize_sorted(const double *sorted, size_t count, struct pawl_summary *out) {
  PAWL_ASSERT(count > 0);
  const double median = pawl_median(sorted, count);
  struct pawl_summary summary = {
      .count = count,
      .median = median,
      .min = sorted[0],
      .max = sorted[count - 1],
      .p50 = median,
      .p95 = pawl_quantile(sorted, count, 0.95),
      .p99 = pawl_quantile(sorted, count, 0.99),
  };
  if (summary.min == summary.max) { /* avoids the rounding of a mean for constant samples */
    summary.mean = summary.min;
    summary.std = count > 1 ? 0 : NAN;
  } else {
    mean_and_std(sorted, count, &summary.mean, &summary.std);
  }
  const double cv = summary.std / summary.mean;
  summary.cv = isfinite(cv) ? cv : NAN;
  *out = summary;
}

pawl_status pawl_summarize(const double *samples, size_t count, struct pawl_summary *out,
                           struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) double *sorted = NULL;
  PAWL_TRY(pawl_sorted_copy(samples, count, &sorted, err));
  pawl_summarize_sorted(sorted, count, out);
  return PAWL_OK;
}

double pawl_robust_deviation(double *values, size_t count) {
  if (count < 2) return NAN;
  pawl_sort_doubles(values, count);
  const double middle = pawl_median(values, count);
  for (size_t i = 0; i < count; i++) values[i] = fabs(values[i] - middle);
  pawl_sort_doubles(values, count);
  return PAWL_DEVIATION_OF_MAD * pawl_median(values, count);
}

/* Abramowitz and Stegun, "Handbook of mathematical functions", 1964, formula 26.2.23, and one step
   of Newton's method. */
double pawl_normal_quantile(double p) {
  const double t = sqrt(-2 * log(fmin(p, 1 - p)));
  const double tail = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                              (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  const double x = p < 0.5 ? -tail : tail;
  return x - (erfc(-x / M_SQRT2) / 2 - p) * sqrt(2 * M_PI) * exp(x * x / 2);
}
