/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a kernel's best parameters: screening, finalists, other cases. */
#ifndef PAWL_LOOP_TUNE_RUN_H
#define PAWL_LOOP_TUNE_RUN_H

#include "loop/tuning.h"

#define PAWL_TUNE_JOURNAL "tune.jsonl" /* in the output folder */
#define PAWL_TUNE_BUDGET_SECONDS (20 * 60.0)

/* PAWL_FAILED: the current code does not build, is wrong or fails; PAWL_USAGE: no such kernel or case; PAWL_CONFIG: its
   space is wrong; PAWL_TRY_AGAIN: another tuning is going on in this repository. Strings live in the project's arena.
 */
pawl_status pawl_loop_tune(struct pawl_project *project, const struct pawl_tune_options *options, struct pawl_tune *out,
                           struct pawl_error *err);

#endif
