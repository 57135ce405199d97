/* SPDX-License-Identifier: Apache-2.0 */
/* The screening: one block of the candidate beside the current code says about how fast it is. */
#ifndef PAWL_TUNING_SCREEN_H
#define PAWL_TUNING_SCREEN_H

#include "tuning/tuning.h"

/* Builds, checks and times candidates until the space or the screening's share of the budget is
 * used up. */
pawl_status pawl_tuning_screen(struct pawl_tuning *tuning, struct pawl_error *err);

/* The current parameters are known: they take as long as themselves. */
void pawl_tuning_tell_current(struct pawl_tuning *tuning);
/* How far the search is and what it is at: "building" the configuration `key`, or, NULL, what
   `doing` says. It ends with its share of the budget, or earlier when all configurations were
   tried. */
void pawl_tuning_show_progress(const struct pawl_tuning *tuning, const char *doing,
                               const char *key);
/* Its words, what changes first, and the details, which a terminal may have no room for. */
void pawl_tune_progress_words(const struct pawl_tune *tune, const char *doing, const char *key,
                              struct pawl_text *words, struct pawl_text *details);

#endif
