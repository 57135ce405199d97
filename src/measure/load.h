/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU use of a block's own processes and of others during its timed calls. */
#pragma once

#include <stdint.h>

#include "measure/block_run.h"

/* The CPU seconds so far, of the whole machine and of this program with everything that it
 * started. */
struct pawl_load {
  int64_t begin; /* in ns */
  double machine, own;
};

struct pawl_load pawl_load_begin(const struct pawl_block_run *run);
/* Sets the block's own_busy and other_busy: the CPUs in use since pawl_load_begin(), on average.
 * Both are NaN on a GPU. The system counts hundredths of a second, so own_busy of a short block is
 * coarse; its mean over blocks is not. other_busy judges the block, so it is NaN after less than
 * PAWL_LOAD_SECONDS, and where the system does not report it. */
#define PAWL_LOAD_SECONDS 0.04
void pawl_load_end(const struct pawl_block_run *run, const struct pawl_load *load,
                   struct pawl_block *block);
