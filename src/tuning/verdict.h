/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's verdict on a candidate of a tuning: on the cases that are tuned for, and on the other
 * ones. */
#ifndef PAWL_TUNING_VERDICT_H
#define PAWL_TUNING_VERDICT_H

#include "tuning/tuning.h"

/* Blocks that a verdict and its confirmation take of each case, and those of another case, about.
 */
#define PAWL_TUNE_JUDGING_BLOCKS 24
#define PAWL_TUNE_OTHER_BLOCKS 8

#define PAWL_TUNE_CHECK_SECONDS 3.0 /* of a whole check, about */

/* Seconds for the judging of one finalist: the check, the verdict, the other cases. */
double pawl_tuning_judging_seconds(const struct pawl_tuning *tuning);
/* Whether to begin that: there is time left, and it ends before twice the budget. What is nearly
   proven is not thrown away. */
bool pawl_tuning_may_judge(const struct pawl_tuning *tuning);

/* The whole check, of what is about to be recommended. A request may take so many seconds, or as
 * long as ten blocks. */
pawl_status pawl_tuning_check_finalist(struct pawl_tuning *tuning,
                                       const struct pawl_ready_kernel *kernel, double fair_seconds,
                                       enum pawl_outcome *outcome, const char **reason,
                                       struct pawl_error *err);
/* Judges a kernel on the tuned cases with true in `wanted` (NULL: on all), one of `comparisons` for
   each, and confirms an improvement. `out` has a place for every tuned case. */
pawl_status pawl_tuning_judge_kernel(struct pawl_tuning *tuning,
                                     const struct pawl_ready_kernel *kernel, const bool *wanted,
                                     size_t comparisons, struct pawl_tune_verdict *out,
                                     struct pawl_error *err);
/* Judges it on the cases of the operator that are not tuned for: sets the finalist's `others`. */
pawl_status pawl_tuning_judge_others(struct pawl_tuning *tuning,
                                     const struct pawl_ready_kernel *kernel,
                                     struct pawl_tune_finalist *finalist, struct pawl_error *err);

#endif
