/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the measurement of a kernel on a case. */
#pragma once

#include <stdint.h>

#include "base/log.h"
#include "measure/block_plan.h"
#include "model/measure_spec.h"

/* The pairs of calls on usual and on fresh inputs, in all processes together. On a CPU, 20 are
 * certain if the new call takes longer in all of them. Fewer cannot be certain. */
#define PAWL_FRESH_PAIRS 12
#define PAWL_FRESH_PAIRS_ON_CPU 20

static inline int pawl_fresh_pairs_wanted(const struct pawl_device *device) {
  return device && device->kind == PAWL_CUDA ? PAWL_FRESH_PAIRS : PAWL_FRESH_PAIRS_ON_CPU;
}

struct pawl_bench_options {
  const struct pawl_worker_options *worker;
  const struct pawl_measure_spec *spec;
  const struct pawl_tolerance *tolerance;
  const struct pawl_device *device;
  const struct pawl_device_limits *limits; /* peaks of the roofline; NULL: unknown */
  /* where the measured peaks of a CPU are kept, which a time beyond them measures again; NULL: they
   * stand */
  const char *limits_folder;
  int threads;
  bool busy_counts; /* processes whose calls other programs held up count */
  /* the processes of the case, spec->processes of them, which the next case reuses; NULL: pawl
   * starts fresh ones */
  struct pawl_block_processes *processes;
  uint64_t seed;
  /* for the progress: `row` of `rows` rows are done; 0 and 0: this is the only one */
  size_t row, rows;
  size_t later; /* rows that other steps measure afterwards, which share the budget too */
  struct pawl_log *log;
};
