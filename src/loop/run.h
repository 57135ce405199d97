/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the whole loop: build, check, bench, judge, baseline, report. */
#pragma once

#include "loop/run_context.h"

struct pawl_run_outcome {
  /* PAWL_FAILED: a regression or broken code under test, which is no error of pawl */
  enum pawl_status_code verdict;
  const char *folder; /* the report's */
  /* the command for the user to type after a failed run or a run without a baseline; NULL: none */
  const char *next;
};

/* The texts live in the project's arena. */
pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options,
                          struct pawl_run_outcome *out, struct pawl_error *err);
