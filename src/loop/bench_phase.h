/* SPDX-License-Identifier: Apache-2.0 */
/* The phase of a run that times its kernels. */
#ifndef PAWL_LOOP_BENCH_PHASE_H
#define PAWL_LOOP_BENCH_PHASE_H

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"

/* Appends a row for each kernel and case of this run whose machine code is not the baseline's and
   whose pair does not give its time. What is not timed when the deadline comes has a row without a
   time; 0: there is none. */
pawl_status pawl_bench_phase(struct pawl_project *project, const struct pawl_selection *selection,
                             const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                             int64_t deadline_ns, struct pawl_results *results,
                             struct pawl_error *err);

/* The pairs give the time of every kernel and case of this run that needs one. */
bool pawl_bench_phase_is_empty(struct pawl_project *project, const struct pawl_selection *selection,
                               const struct pawl_arm_pairs *pairs, const struct pawl_built *built);

/* After the pairs: appends a row for each kernel and case whose pair gave it none, and puts the
   rows in the order of the suite. */
pawl_status pawl_bench_phase_rest(struct pawl_project *project,
                                  const struct pawl_selection *selection,
                                  const struct pawl_arm_pairs *pairs,
                                  const struct pawl_built *built, struct pawl_results *results,
                                  struct pawl_error *err);

#endif
