/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes to inputs, or beside the buffers. The arms of a CPU have this memory in common: what
   one changes makes the others wrong. */
#ifndef PAWL_MEASURE_INTEGRITY_STRAY_WRITES_H
#define PAWL_MEASURE_INTEGRITY_STRAY_WRITES_H

#include "measure/block_run.h"

/* After the arm's calls on `samples` sets from `first_set` on, before another arm's: looks at these
   sets, and at all where the arm failed. An arm that changed one is wrong, and the set is as drawn
   again. Of several arms another may have changed it from far: the block has `stray_write`. */
pawl_status pawl_stray_writes_look(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                   int samples, int first_set, struct pawl_error *err);
/* After all timed calls: looks at all sets, because what an arm writes far beside a set is met in
   no look at that one. Of two arms the second has done it, and what the first came to does not
   count. Of several nobody knows which: the block has `stray_write`. The sets are as drawn again.
 */
pawl_status pawl_stray_writes_end(struct pawl_block_run *run, struct pawl_error *err);

#endif
