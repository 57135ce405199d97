/* SPDX-License-Identifier: Apache-2.0 */
/* The Mann-Whitney U test (Wilcoxon rank-sum test), two-sided: Mann and Whitney, "On a test of
   whether one of two random variables is stochastically larger than the other", 1947. */
#ifndef PAWL_STATS_MANNWHITNEY_H
#define PAWL_STATS_MANNWHITNEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pawl_mann_whitney {
  double u; /* of x: pairs with x > y, and half of those with x == y */
  double p; /* two-sided, in [0, 1] */
  bool exact;
};

/* As scipy's mannwhitneyu(x, y, method='auto'). Exact when a side has at most 8 samples and no two
   samples are equal; else the normal approximation, corrected for ties and for continuity.
   Identical samples all through give p = 1. The exact distribution is counted in 128-bit integers:
   where the C(m + n, m) orders of the samples do not fit (8 samples against more than 190 000) the
   normal approximation is used, and `exact` says so. Raw samples, in any order; PAWL_BAD_DATA when
   a side is empty or holds a number that is not finite. */
pawl_status pawl_mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count,
                              struct pawl_mann_whitney *out, struct pawl_error *err);

/* The same of sides that are sorted and finite already, and not empty. */
void pawl_mann_whitney_sorted(const double *x, size_t x_count, const double *y, size_t y_count,
                              struct pawl_mann_whitney *out);

#endif
