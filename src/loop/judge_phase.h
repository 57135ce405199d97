/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the results of a run against the baseline, and may move the baseline. */
#pragma once

#include "gate/ratchet.h"
#include "loop/baseline_source.h"
#include "model/result.h"
#include "pairs/tests.h"

/* An update reads the baseline again under its lock. References get no verdict; their rows stand
   beside the kernels'. */
pawl_status pawl_judge_phase(const struct pawl_suite *suite, const struct pawl_run_options *options,
                             struct pawl_judging_baseline *judging,
                             const struct pawl_results *results,
                             const struct pawl_paired_tests *tests, struct pawl_arena *arena,
                             struct pawl_ratchet_report *out, struct pawl_error *err);
