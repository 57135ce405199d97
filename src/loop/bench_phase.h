/* SPDX-License-Identifier: Apache-2.0 */
/* Times the kernels of a run. */
#pragma once

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"

/* Appends a row for each kernel and case of this run that has no other source of a time: its
   machine code is not the baseline's, and its pair does not time it. Rows that the deadline
   (pawl_clock_ns(); 0: none) cuts off have no time. */
pawl_status pawl_bench_phase(struct pawl_project *project, const struct pawl_selection *selection,
                             const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                             struct pawl_results *results, struct pawl_error *err);

/* Returns whether the pairs give every time that this run needs. */
bool pawl_bench_phase_is_empty(struct pawl_project *project, const struct pawl_selection *selection,
                               const struct pawl_arm_pairs *pairs, const struct pawl_built *built);

/* Runs after the pairs. Appends a row for each kernel and case whose pair gave none, and sorts the
   rows in the suite's order. */
pawl_status pawl_bench_phase_rest(struct pawl_project *project,
                                  const struct pawl_selection *selection,
                                  const struct pawl_arm_pairs *pairs,
                                  const struct pawl_built *built, struct pawl_results *results,
                                  struct pawl_error *err);
