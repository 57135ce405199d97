/* SPDX-License-Identifier: Apache-2.0 */
/* The whole loop put together: build, check, bench, judge, baseline, report. */
#ifndef PAWL_LOOP_RUN_H
#define PAWL_LOOP_RUN_H

#include "loop/run_context.h"

/* The status is that of the verdict: PAWL_FAILED for a regression or broken code under test, which is no error:
 *summary then holds the report's first line. */
pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options, const char **summary,
                          enum pawl_status_code *verdict, struct pawl_error *err);

#endif
