/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how much the blocks of an unchanged kernel vary on this machine, for calls of several
   lengths, and which change the gate can see in which time. */
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

struct pawl_spread {
  size_t counted, spoiled; /* blocks, and blocks that something disturbed */
  double block_sd; /* standard deviation of the log-ratios of the blocks that count; 0.01: 1 % */
  double call_ms, block_seconds; /* the median call; the time of a block, with its processes */
  /* the least slow-down that the gate shows with a probability of 90 % if it judges this row alone
     for PAWL_SPREAD_SHORT and for PAWL_SPREAD_LONG seconds; NaN: none */
  double detectable[2];
  double detect; /* the change that the gate must detect by default */
};

#define PAWL_SPREAD_LENGTHS 3
#define PAWL_SPREAD_SHORT 60.0
#define PAWL_SPREAD_LONG 600.0

/* Measures a kernel that ships with pawl against itself on the CPU, by the default gate, for at
 * most `seconds` in all: calls of PAWL_SPREAD_LENGTHS lengths, the shortest first. Works in a
 * temporary folder and removes it. PAWL_UNAVAILABLE says that the kernel does not build or run
 * here, or that too few blocks count. */
pawl_status pawl_spread_measure(double seconds, struct pawl_log *log,
                                struct pawl_spread out[PAWL_SPREAD_LENGTHS],
                                struct pawl_error *err);
