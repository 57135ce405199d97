/* SPDX-License-Identifier: Apache-2.0 */
/* The number of samples that a block of a CPU kernel takes. The noise of a block is that of its
 * samples (docs/adr/cpu-blocks.md), and more samples cost less than more blocks. */
#pragma once

#include <stddef.h>

#define PAWL_BLOCK_MOST_SAMPLES 64 /* the most for an arm */
#define PAWL_BLOCK_SD 0.013        /* the standard deviation that a block should have at most */
#define PAWL_BLOCK_SECONDS 0.2     /* the most that the samples of both arms should take */

/* The noise and the time of the blocks so far. Swapped arms give the same sums, so the number of
 * samples takes no side. */
struct pawl_block_samples {
  size_t blocks;
  double variance; /* the sum over the blocks of the variance of a sample's log-ratio */
  double seconds;  /* the sum over the blocks of the time of one sample of both arms */
};

/* Adds a block whose samples have the same places in time in both arms. `seconds` is the time of
 * all samples. Does nothing with fewer than two samples. */
void pawl_block_samples_add(struct pawl_block_samples *seen, const double *base,
                            const double *candidate, size_t count, double seconds);

/* Returns the number for the next block: `least`, or as many as PAWL_BLOCK_SD needs and
 * PAWL_BLOCK_SECONDS allow. */
int pawl_block_samples_next(const struct pawl_block_samples *seen, int least);
