/* SPDX-License-Identifier: Apache-2.0 */
/* How far the blocks of one and the same kernel lie apart on this machine, and which change that
 * lets the gate see. */
#ifndef PAWL_PAIRS_SPREAD_H
#define PAWL_PAIRS_SPREAD_H

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

struct pawl_spread {
  size_t counted, spoiled; /* blocks, and blocks that something disturbed */
  double block_sd;         /* of the log-ratios of the blocks that count, 0.01: 1 % */
  double detectable; /* the least slow-down that such blocks show with a probability of 90 %; NaN:
                        none */
  double detect;     /* what the gate is to detect by default */
};

/* Measures a kernel that ships with pawl against itself on the CPU, by the default gate, for about
   that long (at least 8 blocks). Works in a temporary folder and removes it. PAWL_UNAVAILABLE: the
   kernel cannot be built or run here, or too few blocks count; the reason says why. Strings of the
   error only. */
pawl_status pawl_spread_measure(double seconds, struct pawl_log *log, struct pawl_spread *out,
                                struct pawl_error *err);

#endif
