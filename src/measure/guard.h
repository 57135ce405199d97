/* SPDX-License-Identifier: Apache-2.0 */
/* Was a block disturbed? Decided by the machine's state, never by which arm was faster: leaving
   blocks out for their result would bias the verdict. */
#ifndef PAWL_MEASURE_GUARD_H
#define PAWL_MEASURE_GUARD_H

#include "measure/block.h"

/* What held a GPU's clock down in the block ("the power limit held the clock down for 0.31 s");
 * NULL: nothing known. */
const char *pawl_block_throttled(const struct pawl_block *block, struct pawl_arena *arena);

/* That other processes disturbed the block ("other processes used 1.2 CPUs"), in the arena; NULL:
 * they did not. */
const char *pawl_block_crowded(const struct pawl_block *block, struct pawl_arena *arena);

/* That others used the CPUs as calls of the arm were to begin, and that its median is what these
   calls can have taken, not what they did ("other programs held up 8 of 10 calls"), in the arena;
   NULL: it is not. Where nobody else uses the CPUs, the kernel itself is late, and its calls count
   as they are. */
const char *pawl_block_held_up(const struct pawl_block *block, const struct pawl_arm_block *arm,
                               struct pawl_arena *arena);

/* Why the block does not count whatever else runs ("the device was at 91 C"), in the arena; NULL
   when it does. An arm whose samples all waited for the host counts: its launch waits for the
   device. */
const char *pawl_block_spoiled(const struct pawl_block *block, struct pawl_arena *arena);

#endif
