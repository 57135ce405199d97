/* SPDX-License-Identifier: Apache-2.0 */
/* How two sets of samples lie to each other: what rank statistics are made of. */
#ifndef PAWL_STATS_RANKS_H
#define PAWL_STATS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pawl_rank_counts {
  uint64_t less, equal, greater; /* pairs (x, y) with x < y, x == y, x > y */
  bool ties;                     /* some value occurs twice, in either set or across them */
  long double tie_term; /* sum of t^3 - t over the groups of t equal values of both sets together */
};

/* x and y sorted, without NaN, fewer than 2^32 values each. One pass: O(x_count + y_count). */
struct pawl_rank_counts pawl_count_ranks(const double *x, size_t x_count, const double *y,
                                         size_t y_count);

#endif
