/* SPDX-License-Identifier: Apache-2.0 */
/* Screens the candidates: one block of each beside the current code gives a first estimate of its
 * speed. */
#pragma once

#include "tuning/tuning.h"

/* Builds, checks and times candidates until the space or the screening's share of the budget is
 * used up. */
pawl_status pawl_tuning_screen(struct pawl_tuning *tuning, struct pawl_error *err);

/* Gives the search the result of the current parameters: a ratio of 1. */
void pawl_tuning_tell_current(struct pawl_tuning *tuning);
/* Shows the progress. It names the configuration `key` that builds, or prints `doing` if `key`
   is NULL. The progress is full when the share of the budget is used up or all configurations
   were tried. */
void pawl_tuning_show_progress(const struct pawl_tuning *tuning, const char *doing,
                               const char *key);
/* Formats the progress. The changing part comes first. The details, for which a terminal may have
 * no room, come last. */
void pawl_tune_progress_words(const struct pawl_tune *tune, const char *doing, const char *key,
                              struct pawl_text *words, struct pawl_text *details);
