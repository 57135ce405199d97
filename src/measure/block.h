/* SPDX-License-Identifier: Apache-2.0 */
/* One block: a fresh process for each arm, measured in interleaved rounds on the same inputs. The
 * block is the unit of replication, because its samples depend on the same process. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "measure/block_plan.h"
#include "oracle/oracle.h"
#include "worker/worker.h"

void pawl_block_processes_release(struct pawl_block_processes *processes);

/* Returns a problem without an operator: pawl times commands as they are and checks nothing. */
struct pawl_problem pawl_measure_command_problem(void);

/* Measures `arm_count` arms on a problem with filled sets, or commands on
 * pawl_measure_command_problem(). pawl checks the outputs of each arm. It compares the hashes of
 * the timed calls with the outputs in memory. After the timing it compares all sets and one fresh
 * set with the oracle. A wrong or crashed arm is an outcome, not an error. An arm that is NULL
 * takes no part: it is OK, with no sample. A harness runs once, whatever the plan's samples.
 * Strings live in the arena. */
pawl_status pawl_measure_block(struct pawl_problem *problem,
                               const struct pawl_worker_options *const *arms, int arm_count,
                               const struct pawl_block_plan *plan, struct pawl_arena *arena,
                               struct pawl_block *out, struct pawl_error *err);

/* Tells in detail what the seconds of a block of `subject` went to: `then` and `now` are the
 * problem's before and after it. */
void pawl_block_tell(struct pawl_log *log, const char *subject, const char *case_name,
                     const struct pawl_time_spent *then, const struct pawl_time_spent *now,
                     const struct pawl_block *block);

/* Returns the seed of the inputs of `set`. It is the same for every block, so that the oracle
 * computes each set once. */
uint64_t pawl_measure_set_seed(uint64_t seed, int set);
