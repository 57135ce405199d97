/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the pairs of arms of a run side by side. */
#pragma once

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"
#include "loop/early_pairs.h"
#include "model/result.h"
#include "pairs/tests.h"

/* Measures the pairs whose candidate has a time in the results, and the pairs that give it one.
 * Afterwards every kernel and case of `built` has its row. If a candidate fails, its row gets the
 * outcome. If a base fails, a notice says so, the pair has no test, and pawl measures the candidate
 * alone. `baseline` is the baseline that judges. */
pawl_status pawl_paired_phase(const struct pawl_run_context *run,
                              const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                              const struct pawl_baseline *baseline, struct pawl_early_pairs *early,
                              struct pawl_results *results, struct pawl_paired_tests *out,
                              struct pawl_error *err);
