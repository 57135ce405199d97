/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that start before their blocks: several at once, while nothing is timed. Then they wait. A start on a GPU
   takes much longer than what a block measures. docs/adr/started-ahead.md argues it. */
#ifndef PAWL_MEASURE_AHEAD_H
#define PAWL_MEASURE_AHEAD_H

#include <stdbool.h>

#include "measure/block.h"

/* A block whose processes are to start. */
struct pawl_ahead_block {
  struct pawl_block_processes *processes;        /* those that are missing start; all get ready */
  uint64_t seed;                                 /* as in struct pawl_block_plan */
  int first_arm;                                 /* the same */
  const struct pawl_worker_options *const *arms; /* of this block alone; NULL: those of all */
};

/* How many processes may be there at once, each with so many bytes of the device's memory; 1: none may wait. A CPU's
   processes start in milliseconds, so none of them waits. */
int pawl_ahead_limit(const struct pawl_device *device, uint64_t bytes);
/* The device's memory that one process takes for this problem. */
uint64_t pawl_ahead_bytes(const struct pawl_device *device, const struct pawl_problem *problem);

/* Starts the processes that are missing and does not wait for them: pawl_ahead_start must follow. */
void pawl_ahead_launch(const struct pawl_problem *problem, const struct pawl_worker_options *const *arms, int arm_count,
                       const struct pawl_ahead_block *blocks, size_t count);

/* Has those that were launched ready for the problem, side by side: context, code, memory. Returns when nothing starts
   any more. A process that fails is left out: its block starts it again, and says what is wrong. May run in a thread
   beside other work on the operator: of the problem it reads where its tensors lie. `stop` becomes true: it begins
   nothing more; NULL: it never does. */
void pawl_ahead_finish(struct pawl_problem *problem, int arm_count, int threads, const struct pawl_ahead_block *blocks,
                       size_t count, const _Atomic bool *stop);
/* Both. */
void pawl_ahead_start(struct pawl_problem *problem, const struct pawl_worker_options *const *arms, int arm_count,
                      int threads, const struct pawl_ahead_block *blocks, size_t count);

#endif
