/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the timed calls wrote right outputs and computed them. A wrong arm ends. */
#pragma once

#include "measure/block_run.h"

bool pawl_block_is_checked(const struct pawl_block_run *run);
/* Returns whether the hashes of a reply are plausible, and ends the arm if not. No hash may be that
 * of unwritten outputs. A deterministic kernel must give the same hash each time on the same set.
 * So skipped and stale outputs show here. pawl_worker_time() finds late outputs: it compares the
 * last hash of each set with the memory. */
bool pawl_block_hashes_agree(struct pawl_block_run *run, struct pawl_arm_run *arm, int first_set,
                             const struct pawl_time_reply *reply);
/* Checks only for unwritten outputs, for calls on fresh inputs. */
bool pawl_block_hashes_written(struct pawl_block_run *run, struct pawl_arm_run *arm,
                               const struct pawl_time_reply *reply);
/* Compares a set's outputs with the oracle. Wrong outputs end the arm. */
pawl_status pawl_block_verify_set(struct pawl_block_run *run, struct pawl_arm_run *arm, int set,
                                  struct pawl_error *err);
/* Compares the outputs of the last timed calls in memory with the oracle, unless they are known to
 * be right. */
pawl_status pawl_block_verify_timed(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                    int samples, int first_set, struct pawl_error *err);
/* Makes the comparisons after the timing: the sets whose timed outputs pawl did not compare, then
 * fresh inputs. */
pawl_status pawl_block_verify(struct pawl_block_run *run, struct pawl_error *err);
