/* SPDX-License-Identifier: Apache-2.0 */
/* What a block's own processes, and others, use of the CPUs while its calls are timed. */
#ifndef PAWL_MEASURE_LOAD_H
#define PAWL_MEASURE_LOAD_H

#include <stdint.h>

#include "measure/block_run.h"

/* CPU seconds so far: of the whole machine, and of this program with all that it started. */
struct pawl_load {
  int64_t begin; /* ns */
  double machine, own;
};

struct pawl_load pawl_load_begin(const struct pawl_block_run *run);
/* Sets the block's own_busy and other_busy: CPUs' worth of time since then, on average; NaN on a
   device that is no CPU. The system counts hundredths of a second: of a short block own_busy is
   coarse, and of use as a mean over blocks; other_busy, which judges a block, is NaN after less
   than PAWL_LOAD_SECONDS, or where the system does not say. */
#define PAWL_LOAD_SECONDS 0.1
void pawl_load_end(const struct pawl_block_run *run, const struct pawl_load *load,
                   struct pawl_block *block);

#endif
