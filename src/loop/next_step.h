/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that lead from a run without a baseline to a run that judges. */
#pragma once

#include "loop/run_context.h"
#include "record/run_report.h"

/* The commands live in the project's arena. NULL: a baseline judges, or this run is one shard. */
const char *pawl_next_step(const struct pawl_run_context *run,
                           const struct pawl_run_report *report);
