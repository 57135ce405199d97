/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the gate's verdict on a candidate, on the tuned cases and on the operator's others. */
#pragma once

#include "tuning/tuning.h"

/* About the number of blocks that a verdict and its confirmation take on each case, and those of
   another case. */
#define PAWL_TUNE_JUDGING_BLOCKS 24
#define PAWL_TUNE_OTHER_BLOCKS 8

#define PAWL_TUNE_CHECK_SECONDS 3.0 /* about the duration of a whole check */

/* Returns about the seconds that one finalist takes: check, verdict and other cases. */
double pawl_tuning_judging_seconds(const struct pawl_tuning *tuning);
/* Returns whether to begin a judgement: time is left, and the judgement ends before twice the
 * budget. A nearly proven candidate is worth the excess. */
bool pawl_tuning_may_judge(const struct pawl_tuning *tuning);

/* Runs the whole check on a candidate that pawl is about to recommend. A request may take
 * `fair_seconds`, or as long as ten blocks. */
pawl_status pawl_tuning_check_finalist(struct pawl_tuning *tuning,
                                       const struct pawl_ready_kernel *kernel, double fair_seconds,
                                       enum pawl_outcome *outcome, const char **reason,
                                       struct pawl_error *err);
/* Judges a kernel on the tuned cases with true in `wanted`, and confirms an improvement; NULL
   means all cases. Each is one of `comparisons` in the correction for multiple tests. `out` has
   an entry for every tuned case. */
pawl_status pawl_tuning_judge_kernel(struct pawl_tuning *tuning,
                                     const struct pawl_ready_kernel *kernel, const bool *wanted,
                                     size_t comparisons, struct pawl_tune_verdict *out,
                                     struct pawl_error *err);
/* Judges the finalist on the other cases of the operator, and sets its `others`. */
pawl_status pawl_tuning_judge_others(struct pawl_tuning *tuning,
                                     const struct pawl_ready_kernel *kernel,
                                     struct pawl_tune_finalist *finalist, struct pawl_error *err);
