/* SPDX-License-Identifier: Apache-2.0 */
/* The Mann-Whitney U test (Wilcoxon rank-sum test), two-sided: Mann and Whitney, "On a test of
   whether one of two random variables is stochastically larger than the other", 1947. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pawl_mann_whitney {
  double u; /* for x: pairs with x > y, and half of those with x == y */
  double p; /* two-sided, in [0, 1] */
  bool exact;
};

/* Computes the same as scipy's mannwhitneyu(x, y, method='auto'). The test is exact if a side has
   at most 8 samples and no two samples are equal. Otherwise it is the normal approximation,
   corrected for ties and for continuity. All samples equal gives p = 1. The exact distribution
   needs C(m + n, m) to fit into 128 bits. If it does not (8 samples against more than 190 000), the
   normal approximation applies and `exact` is false. Takes raw samples in any order. Fails with
   PAWL_BAD_DATA if a side is empty or has a number that is not finite. */
pawl_status pawl_mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count,
                              struct pawl_mann_whitney *out, struct pawl_error *err);

/* Tests sorted, finite and non-empty sides. */
void pawl_mann_whitney_sorted(const double *x, size_t x_count, const double *y, size_t y_count,
                              struct pawl_mann_whitney *out);
