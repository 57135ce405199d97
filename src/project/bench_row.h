/* SPDX-License-Identifier: Apache-2.0 */
/* One row of results: what a kernel on a case is measured with, and what becomes of the
 * measurement. */
#ifndef PAWL_PROJECT_BENCH_ROW_H
#define PAWL_PROJECT_BENCH_ROW_H

#include "measure/bench_options.h"
#include "model/result.h"
#include "oracle/oracle.h"
#include "project/kernels.h"

/* Of a result's environment: how its time was taken, where not alone. */
#define PAWL_TIMED "timed"
#define PAWL_TIMED_IN_PAIRS "in pairs"

/* Points into itself: it stays where it is. */
struct pawl_bench_row {
  struct pawl_tolerance tolerance;
  struct pawl_device_limits limits;
  struct pawl_bench_options options;
};

/* How the kernel is measured on the case. */
pawl_status pawl_bench_row_begin(struct pawl_project *project,
                                 const struct pawl_ready_kernel *kernel, struct pawl_oracle *oracle,
                                 const struct pawl_case *config,
                                 const struct pawl_measure_spec *spec, struct pawl_bench_row *out,
                                 struct pawl_error *err);

/* Appends what was measured, with the kernel's code; the results own the JSON that it refers to. A
   kernel that died with its GPU is not to blame. */
struct pawl_result *pawl_bench_row_add(struct pawl_project *project,
                                       const struct pawl_ready_kernel *kernel,
                                       const struct pawl_case *config,
                                       const struct pawl_result *measured,
                                       struct pawl_results *results);
/* The same of a command, whose code and case are not known. */
void pawl_bench_row_add_command(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel,
                                const struct pawl_result *measured, struct pawl_results *results);
/* A row for a kernel that never ran. */
void pawl_bench_row_add_unready(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel,
                                const struct pawl_case *config, struct pawl_results *results);

#endif
