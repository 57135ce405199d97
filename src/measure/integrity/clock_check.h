/* SPDX-License-Identifier: Apache-2.0 */
/* Times a few calls of a CPU kernel with pawl's own clock. It finds a kernel that patches the clock
 * of its process, and outputs that are written only when something reads them. The calls look like
 * samples and happen in a random round, so a kernel cannot recognize them. */
#pragma once

#include "measure/block_run.h"

/* Draws the round of the check, or -1 for none in this block. */
pawl_status pawl_clock_check_draw(const struct pawl_block_run *run, const struct pawl_arm_run *arm,
                                  int rounds, int *round, struct pawl_error *err);

/* Makes one call on each set, at most `samples`; their times are not samples. Ends the arm as wrong
 * if two calls lasted longer than the worker says, or if an output was not written at the end of
 * its call. After one such call, or where the worker waited for a CPU as long as the calls were too
 * long, pawl asks again, and checks each later block. */
pawl_status pawl_clock_check_calls(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   int samples, int warmup, int first_set, struct pawl_error *err);
