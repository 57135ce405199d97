/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmarks that failed and are not in the file of their harness: pytest-benchmark leaves them
 * out. */
#ifndef PAWL_LOOP_FAILED_BENCHMARKS_H
#define PAWL_LOOP_FAILED_BENCHMARKS_H

#include "gate/baseline.h"
#include "loop/run_context.h"
#include "model/result.h"

/* A command failed, and its file shows no failure. Its row then becomes the rows of the benchmarks
   that the baseline has and the file has not. It stays as it is where the file has them all: a new
   benchmark failed. */
void pawl_failed_benchmarks_name(const struct pawl_run_context *run,
                                 const struct pawl_baseline *baseline,
                                 struct pawl_results *results);

#endif
