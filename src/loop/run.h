/* SPDX-License-Identifier: Apache-2.0 */
/* The whole loop put together: build, check, bench, judge, baseline, report. */
#ifndef PAWL_LOOP_RUN_H
#define PAWL_LOOP_RUN_H

#include "loop/run_context.h"

struct pawl_run_outcome {
  enum pawl_status_code
      verdict; /* PAWL_FAILED for a regression or broken code under test, which is no error */
  const char *folder; /* where the report is */
  const char *next;   /* what to type after a run that failed or has no baseline; NULL: nothing */
};

/* The texts live in the project's arena. */
pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options,
                          struct pawl_run_outcome *out, struct pawl_error *err);

#endif
