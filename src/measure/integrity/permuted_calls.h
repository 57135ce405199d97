/* SPDX-License-Identifier: Apache-2.0 */
/* Timed calls of a CPU kernel on inputs that no call has had (permutation.h). A stored result is
   useless then. Where a draw takes longer than a flush, some samples have new inputs, and each of
   these makes a pair with a sample beside it, in which only some elements changed places: its
   other calls are too short if it keeps results (fresh_pairs.h). At a random sample pawl compares
   the outputs of one call with the oracle. GPU kernels have fresh_pairs.h instead, because pawl
   would have to copy their inputs for each request. */
#pragma once

#include "measure/integrity/checked_request.h"

/* Sets arm->permuted: true for a cold CPU arm. Draws the samples with new inputs, and the one that
 * pawl compares. `chance` is the same for all arms of a block. */
pawl_status pawl_permuted_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                               uint32_t chance, struct pawl_error *err);

/* Makes `warmup` calls on the inputs that are in place. The arm ends if their outputs are wrong. */
pawl_status pawl_permuted_warm_up(struct pawl_block_run *run, struct pawl_arm_run *arm, int warmup,
                                  int first_set, struct pawl_error *err);

/* Returns how many samples pawl may take again in a turn of `samples` samples. */
int pawl_permuted_retries(int samples);

/* Warms up where the turn wants it, makes the request, and changes its inputs. */
pawl_status pawl_permuted_before(struct pawl_checked_request *checked, struct pawl_error *err);

/* Checks and keeps the samples of the reply. *kept is how many samples of
   the turn are done: the others pawl takes again. */
pawl_status pawl_permuted_after(struct pawl_checked_request *checked, enum pawl_status_code status,
                                struct pawl_time_reply *reply, int *kept, struct pawl_error *err);

/* Gives the pairs among the samples to arm->out. Call it after all samples. */
void pawl_permuted_pair(const struct pawl_block_run *run, struct pawl_arm_run *arm);
