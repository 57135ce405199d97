/* SPDX-License-Identifier: Apache-2.0 */
/* Cliff's delta: Cliff, "Dominance statistics: ordinal analyses to answer ordinal questions",
   Psychological Bulletin 114, 1993. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* Returns P(candidate < baseline) - P(candidate > baseline) over all pairs of samples, in [-1, 1].
   Above 0, the candidate's times are smaller, so it is faster. Ties count for neither side. Takes
   O(n log n) for raw samples in any order. Fails with PAWL_BAD_DATA if a side is empty or has a
   number that is not finite. */
pawl_status pawl_cliffs_delta(const double *baseline, size_t baseline_count,
                              const double *candidate, size_t candidate_count, double *delta,
                              struct pawl_error *err);

/* Returns the same for sorted, finite and non-empty sides. */
double pawl_cliffs_delta_sorted(const double *baseline, size_t baseline_count,
                                const double *candidate, size_t candidate_count);

/* Returns "negligible" < .147 <= "small" < .33 <= "medium" < .474 <= "large" for |delta| (Romano
   and others, "Appropriate statistics for ordinal level data", 2006), and "unknown" for NaN. */
const char *pawl_cliffs_label(double delta);
