/* SPDX-License-Identifier: Apache-2.0 */
/* A harness is a command that measures benchmarks of its own. One run of the command is one process
 * of each benchmark. So the benchmarks share blocks, and each has its own result. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "measure/bench_options.h"
#include "model/result.h"

/* Runs the harness once, as options->worker says, in a block that does not count. Returns its
 * benchmarks, or in *failure the reason why there are none. */
pawl_status pawl_harness_look(const struct pawl_bench_options *options, struct pawl_arena *arena,
                              struct pawl_benchmarks *out, const char **failure,
                              struct pawl_error *err);

/* Returns the block as that of one benchmark. If the benchmark has a fault, the arm is CRASHED, or
 * UNSUPPORTED where the code under test has no part in it. If the run lacks the benchmark, the arm
 * is INCONCLUSIVE, or CRASHED where the run failed. `unnamed` is the name of the command and of a
 * benchmark without a name. */
struct pawl_block pawl_block_of_benchmark(const struct pawl_block *block, const char *name,
                                          const char *unnamed, struct pawl_arena *arena);

/* The results of a harness. */
struct pawl_harness_results {
  /* As from pawl_bench(), one for each benchmark, in the order of the first file. */
  struct pawl_result *items;
  size_t count;
  const char *note; /* about the first file as a whole; NULL: none */
};

/* Measures like pawl_bench(), with a run of the command as a process: spec->processes runs, or
 * spec->samples if that is fewer. A benchmark that is missing in a file is INCONCLUSIVE. If a run
 * fails without a file, the only result is the failure, under `unnamed`. If it leaves a file
 * without a failed benchmark, that result comes last. */
pawl_status pawl_bench_harness(const struct pawl_bench_options *options, const char *unnamed,
                               struct pawl_arena *arena, struct pawl_harness_results *out,
                               struct pawl_error *err);
