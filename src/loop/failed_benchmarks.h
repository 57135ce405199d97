/* SPDX-License-Identifier: Apache-2.0 */
/* Names benchmarks that failed and that the harness leaves out of its file, as pytest-benchmark
   does. */
#pragma once

#include "gate/baseline.h"
#include "loop/run_context.h"
#include "model/result.h"

/* Handles a command that failed although its file shows no failure. Rows of the benchmarks that
   only the baseline has replace the command's row. If the file has them all, a new benchmark failed
   and the row stays. */
void pawl_failed_benchmarks_name(const struct pawl_run_context *run,
                                 const struct pawl_baseline *baseline,
                                 struct pawl_results *results);
