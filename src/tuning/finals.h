/* SPDX-License-Identifier: Apache-2.0 */
/* After the screening: the fastest candidates race against each other, the winner is checked as a
   whole and judged against the current code, and then on the other cases. */
#ifndef PAWL_TUNING_FINALS_H
#define PAWL_TUNING_FINALS_H

#include "tuning/tuning.h"

/* Seconds that the rest of the tuning will take; 0: nothing faster is known yet, so that the search
 * may go on. */
double pawl_tuning_reserve(const struct pawl_tuning *tuning);
/* Sets finalists and others. The bench is closed. */
pawl_status pawl_tuning_judge(struct pawl_tuning *tuning, struct pawl_error *err);

#endif
