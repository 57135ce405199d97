/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of calls of a plug-in: on inputs as they are timed, and on inputs that nobody can have
   seen. Who remembers results, computes ahead, or on a GPU brings its inputs into the L2 by another
   stream, takes longer for the second of them. On a GPU the pairs are taken at a place of the block
   that the operating system draws, what one of them computes is compared with the oracle, and where
   the second takes longer for certain the samples count so much longer. */
#ifndef PAWL_MEASURE_INTEGRITY_FRESH_PAIRS_H
#define PAWL_MEASURE_INTEGRITY_FRESH_PAIRS_H

#include "measure/block_run.h"

/* Draws when an arm's pairs are taken, and whether their outputs are looked at. `chance`: drawn for
   the block: whether there are pairs where the plan wants none. */
pawl_status pawl_fresh_pairs_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  uint32_t chance, struct pawl_error *err);
/* Takes them, if they are not taken yet. `last`: no samples follow. */
pawl_status pawl_fresh_pairs_take(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  int first_set, bool last, struct pawl_error *err);
/* When all samples are taken. */
void pawl_fresh_pairs_charge(const struct pawl_block_run *run, struct pawl_arm_run *arm);

/* How many times as long the second of the pairs take; 1: no longer, for all that is certain. An
   honest kernel's calls are as often longer as they are shorter: that more than 1 is returned for
   one has a probability below 1e-6. */
double pawl_fresh_pairs_ratio(const double *pairs, size_t count);

#endif
