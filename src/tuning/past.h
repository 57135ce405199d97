/* SPDX-License-Identifier: Apache-2.0 */
/* What a search begins with: the times of an earlier one, or its own result. The tune.json of a
   search is kept in .pawl/tuned for the next search of the kernel and its cases, so that tuning
   again after a change of the code begins where that one ended. */
#ifndef PAWL_TUNING_PAST_H
#define PAWL_TUNING_PAST_H

#include "tuning/tuning.h"

#define PAWL_TUNE_PRIOR \
  "tune.prior" /* in the output folder, beside the journal: what its search began with */
#define PAWL_TUNE_NO_PRIOR "none" /* as --prior: begins anew */

/* Gives the search what it begins with: the file of --prior, or what was kept. A search that goes
   on begins with what it began with. The cases must be known. PAWL_BAD_DATA, PAWL_NO_INPUT: of
   --prior; what was kept and does not help is left out. */
pawl_status pawl_tuning_read_prior(struct pawl_tuning *tuning, struct pawl_error *err);
/* Names it in the identity of the search. */
void pawl_tuning_name_prior(const struct pawl_tuning *tuning, json_t *identity);
/* Puts a copy beside the journal of a search that begins. */
pawl_status pawl_tuning_save_prior(const struct pawl_tuning *tuning, struct pawl_error *err);
/* Whether a search that goes on had come to its end within as large a budget. Then the result is
   the one in its output folder: to race and to judge again could only put a "no decision" in the
   place of what is proven. The journal must be open, and the result described. */
bool pawl_tuning_take_end(struct pawl_tuning *tuning);
/* Writes into the journal that the search has ended. Its result is not written yet, so an earlier
 * one goes first. */
pawl_status pawl_tuning_write_end(struct pawl_tuning *tuning, double seconds,
                                  struct pawl_error *err);
/* Keeps the result for the next search, unless what was kept knows more than twice as many times. A
   failure is a warning. */
void pawl_tuning_keep(const struct pawl_tuning *tuning);

#endif
