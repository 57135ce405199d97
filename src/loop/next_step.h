/* SPDX-License-Identifier: Apache-2.0 */
/* Names the commands that lead from a run without a baseline to a run that judges. */
#pragma once

#include "loop/run_context.h"
#include "record/run_report.h"

/* Lives in the project's arena. Returns NULL if a baseline judges, or if this run is one shard. */
const char *pawl_next_step(const struct pawl_run_context *run,
                           const struct pawl_run_report *report);
