/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of calls of a CPU kernel: one on the usual inputs of a set, which it has just seen, and one
 * on new inputs. Both are drawn, put into place and loaded into the caches alike, and chance says
 * which comes first. So only a kernel whose time depends on what it has seen tells them apart. */
#pragma once

#include "measure/block_run.h"

/* Returns how many pairs a round has: one of each set. Where inputs are large it has one in all,
 * whose other call has the inputs that are in place, so that it costs a draw and two calls. */
int pawl_cpu_pairs_of_round(const struct pawl_block_run *run);
/* Takes `rounds` rounds. Writes them to `seconds`, first the call on usual inputs.
 * *count becomes the number of pairs; it is smaller if the arm ended. */
pawl_status pawl_cpu_pairs_take(struct pawl_block_run *run, struct pawl_arm_run *arm, int rounds,
                                double *seconds, size_t *count, struct pawl_error *err);
