/* SPDX-License-Identifier: Apache-2.0 */
/* The phase of a run that judges the results against the baseline, and moves it where it may. */
#ifndef PAWL_LOOP_JUDGE_PHASE_H
#define PAWL_LOOP_JUDGE_PHASE_H

#include "gate/ratchet.h"
#include "loop/paired_phase.h"

/* `baseline` was read from `path`; where it is to be updated it is read again, under its lock. References are not
   judged: they stand beside the kernels. */
pawl_status pawl_judge_results(struct pawl_run_context *run, const char *path, struct pawl_baseline *baseline,
                               const struct pawl_results *results, const struct pawl_paired_tests *tests,
                               struct pawl_ratchet_report *out, struct pawl_error *err);

#endif
