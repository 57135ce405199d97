/* SPDX-License-Identifier: Apache-2.0 */
/* Finds writes to inputs or beside the buffers. The arms on a CPU share this memory, so a write of
 * one arm makes the others wrong. */
#pragma once

#include "measure/block_run.h"

/* Checks the sets of the arm's last `samples` calls, from `first_set` on, before another arm's
 * turn; all sets if the arm failed. An arm that changed one ends as wrong, and pawl draws the set
 * again. With several arms another one may have made the write: the block gets `stray_write`. */
pawl_status pawl_stray_writes_look(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   int samples, int first_set, struct pawl_error *err);
/* Checks all sets after the timed calls. A write far beside a set shows in no check of that set
 * alone. In a block of two arms the second made it, and the failure of the first does not count.
 * With more arms nobody knows which: the block gets `stray_write`. pawl draws the sets again. */
pawl_status pawl_stray_writes_end(struct pawl_block_run *run, struct pawl_error *err);
