/* SPDX-License-Identifier: Apache-2.0 */
/* Makes processes ready for their blocks beside other work: context, code, memory. A GPU's driver
 * serves requests in turn, so the processes start in the order of the blocks, those of a few blocks
 * side by side. All of them stop while calls are timed: docs/adr/started-ahead.md. */
#pragma once

#include "measure/block_plan.h"

/* A block whose processes must start. */
struct pawl_starting_block {
  struct pawl_block_processes *processes; /* missing ones start, and all get ready */
  int first_arm;                          /* as in struct pawl_block_plan */
  /* the workers of this block alone; NULL: those of all blocks */
  const struct pawl_worker_options *const *arms;
  const int *start_order; /* as in struct pawl_block_plan */
};

#define PAWL_STARTING_MOST 16 /* blocks side by side */

struct pawl_starting;

/* Creates the threads for `side_by_side` blocks at once; nothing starts yet. `threads` is the
 * number that the kernels get. End it with pawl_starting_end() or pawl_starting_stop(). */
struct pawl_starting *pawl_starting_begin(int side_by_side, int arm_count, int threads);
/* Queues a block whose processes are launched and at rest. If a process fails, its block starts it
 * again and reports the reason. The problem must stay at its address; the threads read only where
 * its tensors are. */
void pawl_starting_add(struct pawl_starting *starting, struct pawl_problem *problem,
                       const struct pawl_starting_block *block);
/* Waits until the block with these processes is ready. */
void pawl_starting_await(struct pawl_starting *starting,
                         const struct pawl_block_processes *processes);
/* Stops all starting processes and waits until they have stopped. Kills a process that does not
 * stop within 10 s. NULL is allowed. */
void pawl_starting_pause(struct pawl_starting *starting);
/* Resumes the processes. Returns false if one of them ran meanwhile; it is killed. NULL is
 * allowed. */
bool pawl_starting_resume(struct pawl_starting *starting);
/* Waits for all queued blocks and frees `starting`. NULL is allowed. */
void pawl_starting_end(struct pawl_starting *starting);
/* Kills the processes of the blocks that are not ready, then does the same. */
void pawl_starting_stop(struct pawl_starting *starting);
