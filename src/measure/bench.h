/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on a case, its samples shared over fresh processes, as one result. */
#ifndef PAWL_MEASURE_BENCH_H
#define PAWL_MEASURE_BENCH_H

#include "base/error.h"
#include "base/memory.h"
#include "measure/bench_options.h"
#include "model/result.h"
#include "oracle/oracle.h"

/* Draws the inputs of every set from the timed distribution and, with `expect`, has the exact
 * answers ready. */
pawl_status pawl_measure_fill(struct pawl_problem *problem, uint64_t seed, bool expect,
                              struct pawl_error *err);

/* Measures and sums up; `out` holds everything but code, commit and the name of the kernel. A wrong
   or dying kernel is an outcome of the result. A process in which the device was throttled does not
   count and is repeated, as many times as there are processes, and once more; when none counts the
   outcome is INCONCLUSIVE. Strings and arrays live in the arena; out->environment is a new
   reference. */
pawl_status pawl_bench(struct pawl_problem *problem, const struct pawl_bench_options *options,
                       struct pawl_arena *arena, struct pawl_result *out, struct pawl_error *err);

#endif
