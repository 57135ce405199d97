/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that get ready for their blocks beside other work: context, code, memory. A GPU's
   driver serves all that ask in turns, so they do it in the order of the blocks, those of a few
   blocks side by side. While calls are timed, all of them are stopped. docs/adr/started-ahead.md
   argues it. */
#ifndef PAWL_MEASURE_STARTING_H
#define PAWL_MEASURE_STARTING_H

#include "measure/block_plan.h"

/* A block whose processes are to start. */
struct pawl_starting_block {
  struct pawl_block_processes *processes;        /* those that are missing start; all get ready */
  uint64_t seed;                                 /* as in struct pawl_block_plan */
  int first_arm;                                 /* the same */
  const struct pawl_worker_options *const *arms; /* of this block alone; NULL: those of all */
};

#define PAWL_STARTING_MOST 16 /* blocks side by side */

struct pawl_starting;

/* Nothing starts yet. The processes of `side_by_side` blocks will get ready at once. `threads` is
   what the kernels are told. */
struct pawl_starting *pawl_starting_begin(int side_by_side, int arm_count, int threads);
/* Has the processes of the block, launched and at rest, get ready after those of earlier ones. One
   that fails is left out: its block starts it again, and says what is wrong. The problem stays
   where it is; of it the threads read where its tensors lie. */
void pawl_starting_add(struct pawl_starting *starting, struct pawl_problem *problem,
                       const struct pawl_starting_block *block);
/* Waits until the block with these processes is ready. */
void pawl_starting_await(struct pawl_starting *starting,
                         const struct pawl_block_processes *processes);
/* Stops what starts, and returns when all of it stands still; one that does not within 10 s is
 * killed. NULL: nothing.
 */
void pawl_starting_pause(struct pawl_starting *starting);
/* Lets it go on. False: one of the processes has run meanwhile; it is killed. NULL: nothing. */
bool pawl_starting_resume(struct pawl_starting *starting);
/* Waits for all blocks that were added, and releases it. NULL: nothing. */
void pawl_starting_end(struct pawl_starting *starting);
/* The same, but nobody wants the blocks that are not ready: their processes are killed. */
void pawl_starting_stop(struct pawl_starting *starting);

#endif
