/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how two sets of samples compare, for rank statistics. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pawl_rank_counts {
  uint64_t less, equal, greater; /* pairs (x, y) with x < y, x == y, x > y */
  bool ties;                     /* some value occurs twice, in one set or across both */
  /* the sum of t^3 - t over the groups of t equal values of both sets together */
  long double tie_term;
};

/* Counts in one pass, O(x_count + y_count). x and y are sorted, without NaN, with fewer than 2^32
   values each. */
struct pawl_rank_counts pawl_count_ranks(const double *x, size_t x_count, const double *y,
                                         size_t y_count);
