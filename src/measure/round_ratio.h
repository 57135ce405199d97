/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio of two arms in one block, from the rounds in which it took the samples. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

/* Returns where the samples of a round end when `samples` are split into `rounds`. A round may have
 * none. */
static inline size_t pawl_round_end(size_t samples, int rounds, int round) {
  return samples * ((size_t)round + 1) / (size_t)rounds;
}

/* Computes two times in the unit of the samples. Their ratio is the median over the rounds of the
 * ratio of the arms' medians. Their geometric mean is that of the arms' medians over all samples.
 * The samples of a round follow each other closely, so both arms had the machine in the same state.
 * If that state changes from round to round, this ratio stays, while the ratio of the medians over
 * all samples jumps. Swapped arms give swapped times, as the sign test requires. `a` and `b` have
 * `samples` positive times each, in time order. Fails with PAWL_BAD_DATA without samples, or if one
 * is not finite. */
pawl_status pawl_round_ratio(const double *a, const double *b, size_t samples, int rounds,
                             struct pawl_arena *arena, double *a_time, double *b_time,
                             struct pawl_error *err);

/* Computes the medians of two arms whose samples come from one round each. The numbers of samples
 * may differ. */
pawl_status pawl_median_ratio(const double *a, size_t a_count, const double *b, size_t b_count,
                              double *a_time, double *b_time, struct pawl_error *err);
