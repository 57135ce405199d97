/* SPDX-License-Identifier: Apache-2.0 */
/* Was a block disturbed? Decided by the machine's state alone, never by the block's times: leaving blocks out for their
   result would bias the verdict. */
#ifndef PAWL_MEASURE_GUARD_H
#define PAWL_MEASURE_GUARD_H

#include "measure/block.h"

/* What held a GPU's clock down in the block ("the power limit held the clock down for 0.31 s"); NULL: nothing known. */
const char *pawl_block_throttled(const struct pawl_block *block, struct pawl_arena *arena);

/* That other processes disturbed the block ("other processes used 1.2 CPUs"), in the arena; NULL: they did not. */
const char *pawl_block_crowded(const struct pawl_block *block, struct pawl_arena *arena);

/* Why the block does not count whatever else runs ("the device was at 91 C"), in the arena; NULL when it does. An arm
   whose samples all waited for the host counts: its launch waits for the device. */
const char *pawl_block_spoiled(const struct pawl_block *block, struct pawl_arena *arena);

#endif
