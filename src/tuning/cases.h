/* SPDX-License-Identifier: Apache-2.0 */
/* Of a tuning for several cases: the best setting of each, and the rule that chooses among them. */
#ifndef PAWL_TUNING_CASES_H
#define PAWL_TUNING_CASES_H

#include "tuning/tuning.h"

/* Whether some candidate looks faster on one case by more than `least`: 0.975 is 2.5 %. */
bool pawl_tuning_has_specialist(const struct pawl_tuning *tuning, double least);
/* Seconds that the race of the settings takes, about; 0 with one case. */
double pawl_tuning_settings_seconds(const struct pawl_tuning *tuning);
/* Measures the best of each case, and the `count` candidates that are best for all, in new blocks
   on every case. The bench is open. With one case there is nothing to do. */
pawl_status pawl_tuning_race_settings(struct pawl_tuning *tuning, const size_t *finalists,
                                      size_t count, struct pawl_error *err);
/* Finds the rule, and judges each of its settings on the cases that it is for. The one setting has
 * its verdicts. */
pawl_status pawl_tuning_judge_rule(struct pawl_tuning *tuning, struct pawl_error *err);

#endif
