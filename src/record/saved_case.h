/* SPDX-License-Identifier: Apache-2.0 */
/* A saved case: the blocks of one row of a verdict, so that later rules can judge them again. It is
 * a verdict.json of one row without samples, and `expected` is the right answer. */
#pragma once

#include "record/run_report.h"

struct pawl_saved_case {
  const char *kernel_name, *case_name; /* choose the row; NULL: any */
  enum pawl_decision expected;         /* PAWL_DECISION_CONTINUE: unknown */
  const char *note;                    /* becomes the only notice; NULL: none */
};

/* Makes the document of a saved case. Fails with PAWL_USAGE if no row with blocks fits, or several
 * do. */
pawl_status pawl_saved_case_make(const struct pawl_run_report *report,
                                 const struct pawl_saved_case *wanted, struct pawl_arena *arena,
                                 json_t **out, struct pawl_error *err);
