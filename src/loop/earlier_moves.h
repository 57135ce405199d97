/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "gate/baseline.h"
#include "record/run_report.h"

#define PAWL_EARLIER_MOVES ((size_t)2000) /* the newest stay */

/* Fills in the report's earlier moves of the judging baseline, for the report's rows and
   hardware. */
void pawl_earlier_moves(const struct pawl_baseline *baseline, struct pawl_arena *arena,
                        struct pawl_run_report *report);
