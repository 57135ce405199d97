/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how much the blocks of one unchanged kernel vary on this machine, and which change the
   gate can see. */
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

struct pawl_spread {
  size_t counted, spoiled; /* blocks, and blocks that something disturbed */
  double block_sd; /* standard deviation of the log-ratios of the blocks that count; 0.01: 1 % */
  /* the least slow-down that such blocks show with a probability of 90 %; NaN: none */
  double detectable;
  double detect; /* the change that the gate must detect by default */
};

/* Measures a kernel that ships with pawl against itself on the CPU, by the default gate, for about
 * `seconds` (at least 8 blocks). Works in a temporary folder and removes it. PAWL_UNAVAILABLE says
 * that the kernel does not build or run here, or that too few blocks count. */
pawl_status pawl_spread_measure(double seconds, struct pawl_log *log, struct pawl_spread *out,
                                struct pawl_error *err);
