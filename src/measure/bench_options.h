/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel is to be measured on a case. */
#ifndef PAWL_MEASURE_BENCH_OPTIONS_H
#define PAWL_MEASURE_BENCH_OPTIONS_H

#include <stdint.h>

#include "base/log.h"
#include "measure/block_plan.h"
#include "model/measure_spec.h"

/* Pairs of calls, over all processes, that compare inputs as timed with ones that the kernel has
 * not seen. */
#define PAWL_FRESH_PAIRS 12

struct pawl_bench_options {
  const struct pawl_worker_options *worker;
  const struct pawl_measure_spec *spec;
  const struct pawl_tolerance *tolerance;
  const struct pawl_device *device;
  const struct pawl_device_limits *limits; /* peaks for the roofline; NULL: unknown */
  int threads;
  /* spec->processes of them, one for each process of the case, which the next case uses too; NULL:
   * fresh ones. */
  struct pawl_block_processes *processes;
  uint64_t seed;
  size_t row, rows; /* for the progress: this is the row after `row` others of `rows`; 0 and 0: the
                       only one */
  int64_t deadline_ns; /* of pawl_clock_ns(): no process starts after it; 0: none */
  struct pawl_log *log;
};

#endif
