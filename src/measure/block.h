/* SPDX-License-Identifier: Apache-2.0 */
/* One block: a fresh process for each arm, measured in interleaved rounds on the same inputs. The
   block is the unit of replication; the samples inside it share one process's luck. */
#ifndef PAWL_MEASURE_BLOCK_H
#define PAWL_MEASURE_BLOCK_H

#include "base/error.h"
#include "base/memory.h"
#include "measure/block_plan.h"
#include "oracle/oracle.h"
#include "worker/worker.h"

void pawl_block_processes_release(struct pawl_block_processes *processes);

/* A problem without an operator: commands are timed as they are, and nothing is checked. */
struct pawl_problem pawl_measure_command_problem(void);

/* Measures `arm_count` arms on a problem whose sets are filled, or commands on
   pawl_measure_command_problem(). Each arm's outputs are checked: the timed calls' hashes against
   the outputs that stand in memory, all sets against the oracle when the timing ends, and one more
   set of inputs that no call has seen. A wrong or dying arm is an outcome, not an error. An arm
   that is NULL takes no part: it is OK, with no sample. A harness runs once, whatever the plan's
   samples. Strings live in the arena. */
pawl_status pawl_measure_block(struct pawl_problem *problem,
                               const struct pawl_worker_options *const *arms, int arm_count,
                               const struct pawl_block_plan *plan, struct pawl_arena *arena,
                               struct pawl_block *out, struct pawl_error *err);

/* The seed of the inputs of set `set`: the same for every block, so that the oracle is asked once.
 */
uint64_t pawl_measure_set_seed(uint64_t seed, int set);

#endif
