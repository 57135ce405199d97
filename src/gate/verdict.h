/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's verdict on one kernel and case. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum pawl_verdict {
  PAWL_VERDICT_NEW = 0, /* nothing to compare with */
  PAWL_VERDICT_REGRESSION,
  PAWL_VERDICT_IMPROVEMENT,
  PAWL_VERDICT_MAINTAINED,
  PAWL_VERDICT_NO_DIFFERENCE, /* "no significant difference" */
  PAWL_VERDICT_INCONCLUSIVE,
  /* a regression that the change accepts with a reason, and the policy allows that */
  PAWL_VERDICT_ACCEPTED,
  PAWL_VERDICT_DROPPED,    /* the base takes the shape, and the candidate refuses it */
  PAWL_VERDICT_BROKEN,     /* the candidate is wrong, does not build, or crashes */
  PAWL_VERDICT_MISSING,    /* only the baseline has it */
  PAWL_VERDICT_WORSE_CODE, /* without a GPU: its machine code is over a limit of the gate */
  PAWL_VERDICT_NEEDS_GPU,  /* without a GPU: its machine code or its check changed */
  /* neither side has or needs a time: the kernel refuses the shape, or is optional and lacks a
   * requirement */
  PAWL_VERDICT_UNSUPPORTED
};
#define PAWL_VERDICTS (PAWL_VERDICT_UNSUPPORTED + 1)

/* Returns the word for documents: "regression". */
const char *pawl_verdict_name(enum pawl_verdict verdict);
/* Returns the word for totals, "slower" in "2 slower, 1 new". */
const char *pawl_verdict_total_word(enum pawl_verdict verdict);
/* Returns the rank of a verdict; the worst is 0. The worst of several verdicts decides. Equal ranks
   are equally good. */
int pawl_verdict_precedence(enum pawl_verdict verdict);
/* Returns the exit status of `compare` for this verdict alone: PAWL_FAILED, PAWL_UNDECIDED or
   PAWL_OK. */
enum pawl_status_code pawl_verdict_status(enum pawl_verdict verdict);
/* Returns true for dropped, broken, regression, worse code and missing, whose status is
 * PAWL_FAILED. */
bool pawl_verdict_fails(enum pawl_verdict verdict);
/* Returns true if nothing changed, so reports fold the row. */
bool pawl_verdict_is_quiet(enum pawl_verdict verdict);
/* Returns true if a comparison of two times decided the verdict. */
bool pawl_verdict_is_from_times(enum pawl_verdict verdict);

/* Returns true for dropped, broken, worse code and missing: the candidate has no valid time. */
bool pawl_verdict_has_no_time(enum pawl_verdict verdict);

/* Returns true for inconclusive, needs a GPU and unsupported, which decide nothing: JUnit's
   "skipped". */
bool pawl_verdict_is_no_judgement(enum pawl_verdict verdict);

/* Returns the exit status of a command with both results (OK, FAILED, UNAVAILABLE, UNDECIDED): 1
   before 69 before 2 before 0. */
enum pawl_status_code pawl_worse_status(enum pawl_status_code a, enum pawl_status_code b);
