/* SPDX-License-Identifier: Apache-2.0 */
/* Measures one kernel on one case in several fresh processes. The result joins their samples. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "measure/bench_options.h"
#include "model/result.h"
#include "oracle/oracle.h"

/* Draws the inputs of every set from the timed distribution. With `expect` it also computes the
 * expected values. */
pawl_status pawl_measure_fill(struct pawl_problem *problem, uint64_t seed, bool expect,
                              struct pawl_error *err);

/* Returns the end of this row's share of the budget (pawl_clock_ns()), with equal shares for the
 * rows that follow; INT64_MAX: there is no budget. */
int64_t pawl_bench_share_end(const struct pawl_bench_options *options);
/* Returns whether the share has no time for one more process, by the mean of the processes since
 * `begin`. The first process needs the budget alone. */
bool pawl_bench_share_is_over(int64_t begin, int64_t end, int processes);

/* Measures the kernel. `out` holds everything but the code, the commit and the kernel's name. A
 * wrong or crashed kernel is an outcome of the result, not an error. If the device was throttled
 * during a process, pawl repeats the process: at most as often as there are processes, and once
 * more. If no process counts, the outcome is INCONCLUSIVE. Strings and arrays live in the arena;
 * out->environment is a new reference. */
pawl_status pawl_bench(struct pawl_problem *problem, const struct pawl_bench_options *options,
                       struct pawl_arena *arena, struct pawl_result *out, struct pawl_error *err);
