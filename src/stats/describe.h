/* SPDX-License-Identifier: Apache-2.0 */
/* What a set of samples looks like. */
#ifndef PAWL_STATS_DESCRIBE_H
#define PAWL_STATS_DESCRIBE_H

#include <stddef.h>

#include "base/error.h"

/* All in the unit of the samples, but for cv. NaN is unknown. */
struct pawl_summary {
  size_t count;
  double median, mean;
  double std; /* divisor count - 1; NaN for a single sample */
  double min, max;
  double p50, p95, p99; /* p50 is the median, under the name that result files use */
  double cv;            /* std / mean; NaN where that is no finite number */
};

/* Of normal values: the standard deviation over the median absolute deviation, and the standard
   error of a median over that of a mean, sqrt(pi / 2). */
#define PAWL_DEVIATION_OF_MAD 1.4826
#define PAWL_ERROR_OF_MEDIAN 1.2533

/* Raw samples in any order. PAWL_BAD_DATA when there is none or one is not a finite number. */
pawl_status pawl_summarize(const double *samples, size_t count, struct pawl_summary *out,
                           struct pawl_error *err);

/* The same of samples that are sorted and finite already, count > 0. */
void pawl_summarize_sorted(const double *sorted, size_t count, struct pawl_summary *out);

/* The quantile of sorted, finite samples by linear interpolation between the order statistics that
   enclose position fraction * (count - 1): numpy's method "linear", definition 7 of Hyndman and
   Fan, "Sample quantiles in statistical packages", 1996. fraction in [0, 1]; NaN when it is not, or
   when count is 0. */
double pawl_quantile(const double *sorted, size_t count, double fraction);
double pawl_median(const double *sorted, size_t count);

/* The point `t` of the way from a to b, 0 <= t <= 1: exact at the ends, the rounded mean at 1/2,
 * never overflows. */
double pawl_interpolate(double a, double b, double t);

#endif
