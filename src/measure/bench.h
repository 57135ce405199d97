/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on a case, its samples shared over fresh processes, as one result. */
#ifndef PAWL_MEASURE_BENCH_H
#define PAWL_MEASURE_BENCH_H

#include "measure/block.h"

/* Pairs of calls, over all processes, that compare inputs as timed with ones that the kernel has not seen. */
#define PAWL_UNSEEN_PAIRS 12

struct pawl_bench_options {
  const struct pawl_worker_options *worker;
  const struct pawl_measure_spec *spec;
  const struct pawl_tolerance *tolerance;
  const struct pawl_device *device;
  const struct pawl_device_limits *limits; /* peaks for the roofline; NULL: unknown */
  int threads;
  /* spec->processes of them, one for each process of the case, which the next case uses too; NULL: fresh ones. */
  struct pawl_block_processes *processes;
  uint64_t seed;
  struct pawl_log *log;
};

/* How the timed calls leave the caches, from the size of the last level. */
uint64_t pawl_measure_flush_bytes(const struct pawl_device *device);

/* Draws the inputs of every set from the timed distribution and, with `expect`, has the exact answers ready. */
pawl_status pawl_measure_fill(struct pawl_problem *problem, uint64_t seed, bool expect, struct pawl_error *err);

/* Measures and sums up; `out` holds everything but code, commit and the name of the kernel. A wrong or dying kernel is
   an outcome of the result. A process in which the device was throttled does not count and is repeated, as many times
   as there are processes, and once more; when none counts the outcome is INCONCLUSIVE. Strings and arrays live in the
   arena; out->environment is a new reference. */
pawl_status pawl_bench(struct pawl_problem *problem, const struct pawl_bench_options *options, struct pawl_arena *arena,
                       struct pawl_result *out, struct pawl_error *err);

#endif
