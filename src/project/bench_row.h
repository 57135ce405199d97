/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the measurement of one row of results and adds its result. */
#pragma once

#include "measure/bench_options.h"
#include "model/result.h"
#include "oracle/oracle.h"
#include "project/kernels.h"

/* The field of a result's environment that says how pawl took its time; absent: alone. */
#define PAWL_TIMED "timed"
#define PAWL_TIMED_IN_PAIRS "in pairs"

/* The struct points into itself and must not move. */
struct pawl_bench_row {
  struct pawl_tolerance tolerance;
  struct pawl_device_limits limits;
  struct pawl_bench_options options;
};

/* Sets up the measurement of the kernel on the case. */
pawl_status pawl_bench_row_begin(struct pawl_project *project,
                                 const struct pawl_ready_kernel *kernel, struct pawl_oracle *oracle,
                                 const struct pawl_case *config,
                                 const struct pawl_measure_spec *spec, struct pawl_bench_row *out,
                                 struct pawl_error *err);

/* Appends the measured row with the kernel's code. The results then own the row's JSON. A kernel
   that died with its GPU is not to blame. */
struct pawl_result *pawl_bench_row_add(struct pawl_project *project,
                                       const struct pawl_ready_kernel *kernel,
                                       const struct pawl_case *config,
                                       const struct pawl_result *measured,
                                       struct pawl_results *results);
/* Appends the row of a command, whose code and case pawl does not know. */
void pawl_bench_row_add_command(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel,
                                const struct pawl_result *measured, struct pawl_results *results);
/* Logs that a kernel failed while pawl timed it, and the command that repeats it. */
void pawl_bench_row_say(struct pawl_log *log, const char *kernel, const struct pawl_case *config,
                        enum pawl_outcome outcome, const char *reason);
/* Appends a row for a kernel that never ran. */
void pawl_bench_row_add_unready(struct pawl_project *project,
                                const struct pawl_ready_kernel *kernel,
                                const struct pawl_case *config, struct pawl_results *results);
