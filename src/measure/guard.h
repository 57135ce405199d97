/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether something disturbed a block. The machine's state decides, never the speed of an
 * arm, because that would bias the verdict. Each function returns a reason in the arena, or
 * NULL. */
#pragma once

#include "measure/block.h"

/* Returns why the GPU's clock was throttled in the block ("the power limit throttled the clock for
 * 0.31 s"), or NULL if it was not or pawl does not know. */
const char *pawl_block_throttled(const struct pawl_block *block, struct pawl_arena *arena);

/* Returns the block as if its power limit had not lowered the clock; other reasons to throttle
 * stay. Kernels that draw more than the limit meet it in every block. */
struct pawl_block pawl_block_without_power_limit(const struct pawl_block *block);

/* Returns how other processes disturbed the block ("other processes used 1.2 CPUs"). The reason
 * begins with PAWL_CROWDED. */
#define PAWL_CROWDED "other processes"
const char *pawl_block_crowded(const struct pawl_block *block, struct pawl_arena *arena);

/* Returns how other programs delayed calls of the arm so that its median is uncertain ("other
 * programs held up 8 of 10 calls"). If no other program uses the CPUs, the kernel itself is late,
 * and its calls count. */
const char *pawl_block_held_up(const struct pawl_block *block, const struct pawl_arm_block *arm,
                               struct pawl_arena *arena);

/* Returns why the block does not count ("the device was at 91 C"). An arm whose samples all waited
 * for the host counts, because its launch waits for the device. Other processes are no reason: see
 * pawl_block_crowded(). */
const char *pawl_block_spoiled(const struct pawl_block *block, struct pawl_arena *arena);

/* Returns why the arm's times prove nothing beside those of the other arm: its worker got its
 * inputs before its timed calls and can work ahead of them unseen, and the other worker got them
 * late. */
const char *pawl_block_ahead(const struct pawl_block *block, int arm, int other);
