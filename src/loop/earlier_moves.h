/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_LOOP_EARLIER_MOVES_H
#define PAWL_LOOP_EARLIER_MOVES_H

#include "gate/baseline.h"
#include "record/run_report.h"

#define PAWL_EARLIER_MOVES ((size_t)2000) /* at most, the newest */

/* Sets the earlier moves of a report: those of the baseline that judged, for the rows of the report
   and the hardware of its results. */
void pawl_earlier_moves(const struct pawl_baseline *baseline, struct pawl_arena *arena,
                        struct pawl_run_report *report);

#endif
