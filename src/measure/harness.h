/* SPDX-License-Identifier: Apache-2.0 */
/* A harness: a command that measures benchmarks of its own. One run of it is the process of each of
   them, so that its benchmarks share blocks, and each has a result of its own. */
#ifndef PAWL_MEASURE_HARNESS_H
#define PAWL_MEASURE_HARNESS_H

#include "base/error.h"
#include "base/memory.h"
#include "measure/bench_options.h"
#include "model/result.h"

/* What a harness does when it is started as options->worker says, in a block that counts for
   nothing: its benchmarks, or, in *failure, why there are none. */
pawl_status pawl_harness_look(const struct pawl_bench_options *options, struct pawl_arena *arena,
                              struct pawl_benchmarks *out, const char **failure,
                              struct pawl_error *err);

/* The block as one of this benchmark alone. An arm whose run has the benchmark with a fault is
   CRASHED, or, where the code under test has no part in it, UNSUPPORTED. One whose run does not
   have it is INCONCLUSIVE, or CRASHED where the run failed. `unnamed` is the name of the one
   benchmark whose file gives it none, and of the command itself. */
struct pawl_block pawl_block_of_benchmark(const struct pawl_block *block, const char *name,
                                          const char *unnamed, struct pawl_arena *arena);

/* Results of a harness. */
struct pawl_harness_results {
  struct pawl_result
      *items; /* as of pawl_bench(), one a benchmark, in the order of the first file */
  size_t count;
};

/* Measures as pawl_bench() does, a run of the command being a process: spec->processes of them, or
   spec->samples where that is fewer. A benchmark that is not in every file is INCONCLUSIVE. Where a
   run fails without a file, there is one result, under `unnamed`, with the failure. Where it leaves
   a file in which no benchmark failed, this result is the last. */
pawl_status pawl_bench_harness(const struct pawl_bench_options *options, const char *unnamed,
                               struct pawl_arena *arena, struct pawl_harness_results *out,
                               struct pawl_error *err);

#endif
