/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks.h"

#include "base/error.h"

struct pawl_rank_counts pawl_count_ranks(const double *x, size_t x_count, const double *y,
                                         size_t y_count) {
  PAWL_ASSERT(x_count <= UINT32_MAX && y_count <= UINT32_MAX);
  struct pawl_rank_counts counts = {0};
  for (size_t i = 0, j = 0; i < x_count || j < y_count;) {
    /* the next group of equal values: x[i..i_end) and y[j..j_end) */
    const double value = j == y_count || (i < x_count && x[i] < y[j]) ? x[i] : y[j];
    size_t i_end = i, j_end = j;
    while (i_end < x_count && x[i_end] == value) i_end++;
    while (j_end < y_count && y[j_end] == value) j_end++;
    const uint64_t in_x = i_end - i, in_y = j_end - j;
    counts.less += in_x * (y_count - j_end);
    counts.equal += in_x * in_y;
    counts.greater += in_x * j;
    if (in_x + in_y > 1) {
      const long double tied = (long double)(in_x + in_y);
      counts.tie_term += tied * tied * tied - tied;
      counts.ties = true;
    }
    i = i_end;
    j = j_end;
  }
  return counts;
}
