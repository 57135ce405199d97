/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that lead from a run without a baseline to a run that judges. */
#ifndef PAWL_LOOP_NEXT_STEP_H
#define PAWL_LOOP_NEXT_STEP_H

#include "loop/run_context.h"
#include "record/run_report.h"

/* The commands live in the project's arena. NULL: a baseline judges, or this run is one shard. */
const char *pawl_next_step(const struct pawl_run_context *run,
                           const struct pawl_run_report *report);

#endif
