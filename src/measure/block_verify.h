/* SPDX-License-Identifier: Apache-2.0 */
/* Are the outputs of the timed calls right, and were they computed? A wrong arm is given up. */
#ifndef PAWL_MEASURE_BLOCK_VERIFY_H
#define PAWL_MEASURE_BLOCK_VERIFY_H

#include "measure/block_run.h"

bool pawl_block_is_checked(const struct pawl_block_run *run);
/* None of the hashes that a chunk reports may be that of outputs as they were before the call, and,
   for a deterministic kernel, they must be the same each time a set comes round: outputs skipped or
   remembered show here. Those written late do in pawl_worker_time, which compares the last hash of
   each set with what stands. */
bool pawl_block_hashes_agree(struct pawl_block_run *run, struct pawl_arm_run *arm, int first_set,
                             const struct pawl_time_reply *reply);
/* The first half of that, for calls whose inputs were never seen before. */
bool pawl_block_hashes_written(struct pawl_block_run *run, struct pawl_arm_run *arm,
                               const struct pawl_time_reply *reply);
/* Compares a set's outputs with the oracle; a failure ends the arm as wrong. */
pawl_status pawl_block_verify_set(struct pawl_block_run *run, struct pawl_arm_run *arm, int set,
                                  struct pawl_error *err);
/* Compares the outputs of the last timed calls, where they stand, with the oracle, unless known to
 * be right. */
pawl_status pawl_block_verify_timed(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                    int samples, int first_set, struct pawl_error *err);
/* When all is timed: the sets whose timed outputs were not compared, then inputs that no call has
 * seen. */
pawl_status pawl_block_verify(struct pawl_block_run *run, struct pawl_error *err);

#endif
