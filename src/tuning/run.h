/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a kernel's best parameters: screening, finalists, other cases. */
#ifndef PAWL_TUNING_RUN_H
#define PAWL_TUNING_RUN_H

#include "base/file.h"
#include "tuning/tuning.h"

#define PAWL_TUNE_BUDGET_SECONDS (20 * 60.0)

/* PAWL_FAILED: the current code does not build, is wrong or fails; PAWL_USAGE: no such kernel or
   case; PAWL_CONFIG: its space is wrong; PAWL_TRY_AGAIN: another tuning is going on in this
   repository. Strings live in the project's arena.
 */
pawl_status pawl_loop_tune(struct pawl_project *project, const struct pawl_tune_options *options,
                           struct pawl_tune *out, struct pawl_error *err);

/* Its steps, for a search whose candidates other processes evaluate. */
struct pawl_tuning *pawl_tuning_new(struct pawl_project *project,
                                    const struct pawl_tune_options *options);
void pawl_tuning_release(struct pawl_tuning *tuning);
/* One search in a repository at a time. */
pawl_status pawl_tuning_lock(struct pawl_project *project, struct pawl_lock *lock,
                             struct pawl_error *err);
/* The kernel, its space, the search and the cases: no device is needed. */
pawl_status pawl_tuning_find(struct pawl_tuning *tuning, struct pawl_error *err);
/* Builds the current code for the device at hand and begins the result. */
pawl_status pawl_tuning_open_device(struct pawl_tuning *tuning, struct pawl_error *err);
/* Begins the result, of a search on this hardware. */
void pawl_tuning_describe(struct pawl_tuning *tuning, const char *hardware,
                          const char *hardware_name);
/* What the times in the journal depend on: a new reference. Without a code hash the plug-in's build
   folder, which is named by the commands and tools, stands for it. */
json_t *pawl_tuning_identity(const struct pawl_tuning *tuning);
/* The time that an earlier search took counts, so that the budget is of both. */
pawl_status pawl_tuning_open_journal(struct pawl_tuning *tuning, const json_t *identity,
                                     struct pawl_error *err);

#endif
