/* SPDX-License-Identifier: Apache-2.0 */
/* A block's one ratio, of the rounds in which its samples were taken. */
#ifndef PAWL_MEASURE_ROUND_RATIO_H
#define PAWL_MEASURE_ROUND_RATIO_H

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

/* Where the samples of a round end when `samples` are shared over `rounds`; a round may have none.
 */
static inline size_t pawl_round_end(size_t samples, int rounds, int round) {
  return samples * ((size_t)round + 1) / (size_t)rounds;
}

/* Two times, in the unit of the samples, whose ratio is the median over the rounds of the ratio of
   the arms' medians, and whose geometric mean is that of the arms' medians over all samples. The
   samples of a round lie back to back, so that both arms had the machine in the same state: where
   that state flips from round to round (another process comes and goes, a clock changes), this
   ratio stays, while the ratio of the medians over all samples jumps between the states. Swapping
   the arms swaps the times, which is what the test of the signs asks of an estimate. `a` and `b`
   have `samples` positive times each, in the order taken. PAWL_BAD_DATA: none, or not finite. */
pawl_status pawl_round_ratio(const double *a, const double *b, size_t samples, int rounds,
                             struct pawl_arena *arena, double *a_time, double *b_time,
                             struct pawl_error *err);

/* The same of arms whose samples were taken in one round each, of which one may have more than the
 * other: the medians.
 */
pawl_status pawl_median_ratio(const double *a, size_t a_count, const double *b, size_t b_count,
                              double *a_time, double *b_time, struct pawl_error *err);

#endif
