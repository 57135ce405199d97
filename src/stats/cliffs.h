/* SPDX-License-Identifier: Apache-2.0 */
/* Cliff's delta: Cliff, "Dominance statistics: ordinal analyses to answer ordinal questions",
   Psychological Bulletin 114, 1993. */
#ifndef PAWL_STATS_CLIFFS_H
#define PAWL_STATS_CLIFFS_H

#include <stddef.h>

#include "base/error.h"

/* P(candidate < baseline) - P(candidate > baseline) over all pairs of samples, in [-1, 1]: above 0,
   the candidate's times are smaller, so it is faster. O(n log n) or better, ties count for neither
   side. Raw samples, in any order; PAWL_BAD_DATA when a side is empty or holds a number that is not
   finite. */
pawl_status pawl_cliffs_delta(const double *baseline, size_t baseline_count,
                              const double *candidate, size_t candidate_count, double *delta,
                              struct pawl_error *err);

/* The same of sides that are sorted and finite already, and not empty. */
double pawl_cliffs_delta_sorted(const double *baseline, size_t baseline_count,
                                const double *candidate, size_t candidate_count);

/* "negligible" < .147 <= "small" < .33 <= "medium" < .474 <= "large" of |delta| (Romano and others,
   "Appropriate statistics for ordinal level data", 2006); "unknown" when delta is NaN. */
const char *pawl_cliffs_label(double delta);

#endif
