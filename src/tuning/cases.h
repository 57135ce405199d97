/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for several cases: the best setting of each case, and the rule that chooses among
 * settings. */
#pragma once

#include "tuning/tuning.h"

/* Returns whether a candidate looks faster on one case by more than `least`: 0.975 is 2.5 %. */
bool pawl_tuning_has_specialist(const struct pawl_tuning *tuning, double least);
/* Returns about the seconds that the race of the settings takes, 0 for a single case. */
double pawl_tuning_settings_seconds(const struct pawl_tuning *tuning);
/* Measures the best settings of each case and the `count` best settings for all cases, in new
 * blocks on every case. The bench is open. A single case needs no race. */
pawl_status pawl_tuning_race_settings(struct pawl_tuning *tuning, const size_t *finalists,
                                      size_t count, struct pawl_error *err);
/* Finds the rule, and judges each of its settings on the cases that use it. The one setting has
   its verdicts already. */
pawl_status pawl_tuning_judge_rule(struct pawl_tuning *tuning, struct pawl_error *err);
