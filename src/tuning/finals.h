/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the search after the screening. The fastest candidates race against each other. The winner
 * gets the whole check, a verdict against the current code, and a verdict on the other cases. */
#pragma once

#include "tuning/tuning.h"

/* Returns the seconds that the rest of the search takes. Returns 0, so the search may continue, if
 * no faster candidate is known. */
double pawl_tuning_reserve(const struct pawl_tuning *tuning);
/* Sets the finalists and the other cases of the result, and closes the bench. */
pawl_status pawl_tuning_judge(struct pawl_tuning *tuning, struct pawl_error *err);
