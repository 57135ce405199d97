/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the whole loop: build, check, bench, judge, baseline, report. */
#pragma once

#include "loop/run_context.h"

struct pawl_run_outcome {
  /* PAWL_FAILED is a regression or broken code under test, which is no error of pawl. */
  enum pawl_status_code verdict;
  const char *folder; /* the folder of the report */
  const char *next;   /* the command for the user to type after a failed run or a run without a
                         baseline; NULL: none */
};

/* The texts live in the project's arena. */
pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options,
                          struct pawl_run_outcome *out, struct pawl_error *err);
