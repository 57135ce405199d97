/* SPDX-License-Identifier: Apache-2.0 */
/* A few calls of a CPU kernel, watched by pawl's own clock while they run. Who patches the clock of
   the process that the kernel runs in, or has the outputs written only when they are read, is seen.
   The calls are of those that are timed, at a place that the operating system draws, so that no
   kernel can tell them from the others. */
#ifndef PAWL_MEASURE_INTEGRITY_CLOCK_CHECK_H
#define PAWL_MEASURE_INTEGRITY_CLOCK_CHECK_H

#include "measure/block_run.h"

/* Draws whether and in which round the arm is watched; -1: in none. */
pawl_status pawl_clock_check_draw(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                                  int rounds, int *round, struct pawl_error *err);

/* Takes a sample of each set, but no more than `samples`, which count for nothing else. Ends the
   arm as wrong where two calls lasted longer than the worker says, or one had not written its
   outputs when it ended. A request of one call leaves the second to a later block, which is watched
   for certain. */
pawl_status pawl_clock_check_calls(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   int samples, int warmup, int first_set, struct pawl_error *err);

#endif
