/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries and quantiles of samples. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* In the unit of the samples, except cv. NaN is unknown. */
struct pawl_summary {
  size_t count;
  double median, mean;
  double std; /* divisor count - 1; NaN for a single sample */
  double min, max;
  double p50, p95, p99; /* p50 is the median, by its name in result files */
  double cv;            /* std / mean; NaN if that is not finite */
};

/* Factors for normal values: the standard deviation over the median absolute deviation, and the
   standard error of a median over that of a mean, sqrt(pi / 2). */
#define PAWL_DEVIATION_OF_MAD 1.4826
#define PAWL_ERROR_OF_MEDIAN 1.2533

/* Summarizes raw samples in any order. Fails with PAWL_BAD_DATA if there is none or one is not
   finite. */
pawl_status pawl_summarize(const double *samples, size_t count, struct pawl_summary *out,
                           struct pawl_error *err);

/* Summarizes sorted, finite samples, count > 0. */
void pawl_summarize_sorted(const double *sorted, size_t count, struct pawl_summary *out);

/* Returns the quantile of sorted, finite samples by linear interpolation between the order
   statistics around position fraction * (count - 1): numpy's method "linear", definition 7 of
   Hyndman and Fan, "Sample quantiles in statistical packages", 1996. NaN unless `fraction` is in
   [0, 1] and count > 0. */
double pawl_quantile(const double *sorted, size_t count, double fraction);
double pawl_median(const double *sorted, size_t count);
/* Returns the standard deviation that normal values with this median absolute deviation have. A few
   outliers hardly change it. Takes raw values and leaves others in their place. NaN with fewer than
   two. */
double pawl_robust_deviation(double *values, size_t count);

/* Returns the point at `t` between a and b, 0 <= t <= 1. It is exact at the ends, the rounded mean
   at 1/2, and never overflows. */
double pawl_interpolate(double a, double b, double t);

/* Returns the quantile of the standard normal distribution for a probability in (0, 1). */
double pawl_normal_quantile(double p);
