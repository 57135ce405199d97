/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a search its prior: the times of an earlier search, or its own earlier result. pawl keeps
 * the tune.json of a search in .pawl/tuned for the next search of the same kernel and cases. So
 * tuning again after a change of the code begins where the earlier search ended. */
#pragma once

#include "tuning/tuning.h"

/* in the output folder, beside the journal: the prior of its search */
#define PAWL_TUNE_PRIOR "tune.prior"
#define PAWL_TUNE_NO_PRIOR "none" /* the value of --prior that begins without a prior */

/* Gives the search its prior: the file of --prior, or the kept result. A resumed search takes the
 * prior that it had. The cases must be known. Fails with PAWL_BAD_DATA or PAWL_NO_INPUT if the file
 * of --prior is wrong or missing. pawl ignores a kept result that does not help. */
pawl_status pawl_tuning_read_prior(struct pawl_tuning *tuning, struct pawl_error *err);
/* Adds the prior to the identity of the search. */
void pawl_tuning_name_prior(const struct pawl_tuning *tuning, json_t *identity);
/* Copies the prior to the folder of the journal of a new search. */
pawl_status pawl_tuning_save_prior(const struct pawl_tuning *tuning, struct pawl_error *err);
/* Returns whether a resumed search has ended already within an equal or larger budget. Then the
 * result in its output folder counts, because a new race and new verdicts could only replace a
 * proven result by "no decision". The journal must be open, and the result described. */
bool pawl_tuning_take_end(struct pawl_tuning *tuning);
/* Writes into the journal that the search has ended. It removes an older result first, because
   the new one is not written yet. */
pawl_status pawl_tuning_write_end(struct pawl_tuning *tuning, double seconds,
                                  struct pawl_error *err);
/* Keeps the result for the next search, unless the kept one knows more than twice as many times.
   A failure is a warning. */
void pawl_tuning_store(const struct pawl_tuning *tuning);
