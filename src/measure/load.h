/* SPDX-License-Identifier: Apache-2.0 */
/* What other processes use of the CPUs while a block's calls are timed. */
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
/* CPUs' worth of time that others used since then, on average; NaN on a device that is no CPU, where the system does
   not say, or after less than PAWL_LOAD_SECONDS: the system counts hundredths of a second. */
#define PAWL_LOAD_SECONDS 0.1
double pawl_load_end(const struct pawl_block_run *run, const struct pawl_load *load);

#endif
