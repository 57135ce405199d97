/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `pawl tune`: a search for the best parameters of a kernel, with screening, race, verdicts
 * and the other cases. */
#pragma once

#include "base/file.h"
#include "tuning/tuning.h"

#define PAWL_TUNE_BUDGET_SECONDS (20 * 60.0)

/* Runs the whole search. Fails with PAWL_FAILED if the current code does not build, is wrong or
 * fails, with PAWL_USAGE if there is no such kernel or case, with PAWL_CONFIG if the space is
 * wrong, and with PAWL_TRY_AGAIN if another search runs in this repository. Strings live in the
 * project's arena. */
pawl_status pawl_loop_tune(struct pawl_project *project, const struct pawl_tune_options *options,
                           struct pawl_tune *out, struct pawl_error *err);

/* These are the steps of a search whose candidates other processes evaluate. */
struct pawl_tuning *pawl_tuning_new(struct pawl_project *project,
                                    const struct pawl_tune_options *options);
void pawl_tuning_release(struct pawl_tuning *tuning);
/* Takes the lock that allows one search at a time in a repository. */
pawl_status pawl_tuning_lock(struct pawl_project *project, struct pawl_lock *lock,
                             struct pawl_error *err);
/* Finds the kernel, its space, the search and the cases. It needs no device. */
pawl_status pawl_tuning_find(struct pawl_tuning *tuning, struct pawl_error *err);
/* Waits until no other pawl times on the device. */
pawl_status pawl_tuning_take_turn(struct pawl_tuning *tuning, struct pawl_error *err);
/* Builds the current code for this device and begins the result. */
pawl_status pawl_tuning_open_device(struct pawl_tuning *tuning, struct pawl_error *err);
/* Begins the result of a search on this hardware. */
void pawl_tuning_describe(struct pawl_tuning *tuning, const char *hardware,
                          const char *hardware_name);
/* Returns everything that the times in the journal depend on, as a new reference. A kernel without
 * a code hash has the build folder of its plug-in instead, whose name depends on the commands and
 * tools. */
json_t *pawl_tuning_identity(const struct pawl_tuning *tuning);
/* Opens the journal. Its recorded time counts for the budget, so the budget covers all parts of
   an interrupted search. */
pawl_status pawl_tuning_open_journal(struct pawl_tuning *tuning, const json_t *identity,
                                     struct pawl_error *err);
