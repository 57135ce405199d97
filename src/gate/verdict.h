/* SPDX-License-Identifier: Apache-2.0 */
/* What the gate says of one kernel and case. */
#ifndef PAWL_GATE_VERDICT_H
#define PAWL_GATE_VERDICT_H

#include <stdbool.h>

#include "base/error.h"

enum pawl_verdict {
  PAWL_VERDICT_NEW = 0, /* nothing to compare with */
  PAWL_VERDICT_REGRESSION,
  PAWL_VERDICT_IMPROVEMENT,
  PAWL_VERDICT_MAINTAINED,
  PAWL_VERDICT_NO_DIFFERENCE, /* "no significant difference" */
  PAWL_VERDICT_INCONCLUSIVE,
  PAWL_VERDICT_ACCEPTED,   /* a regression that the change accepts itself, with a reason, where the
                              policy allows it */
  PAWL_VERDICT_BROKEN,     /* the candidate is wrong, does not build, or crashes */
  PAWL_VERDICT_MISSING,    /* the baseline has it, the candidate does not */
  PAWL_VERDICT_UNSUPPORTED /* there is no time on either side, and need not be: the kernel refuses
                              the shape, or it is optional and what it needs is absent */
};
#define PAWL_VERDICTS (PAWL_VERDICT_UNSUPPORTED + 1)

const char *pawl_verdict_name(
    enum pawl_verdict verdict); /* "regression" ...; as documents have it */
const char *pawl_verdict_total_word(
    enum pawl_verdict verdict); /* "slower" ...; as totals count it: 2 slower, 1 new */
/* The worst is 0. Several verdicts come to the worst of them; equal numbers are equally good. */
int pawl_verdict_precedence(enum pawl_verdict verdict);
/* What `compare` ends with on this verdict alone: PAWL_FAILED, PAWL_UNDECIDED or PAWL_OK. */
enum pawl_status_code pawl_verdict_status(enum pawl_verdict verdict);
bool pawl_verdict_fails(
    enum pawl_verdict verdict); /* regression, broken, missing: its status is PAWL_FAILED */
bool pawl_verdict_is_quiet(enum pawl_verdict verdict); /* nothing changed: reports fold the row */
bool pawl_verdict_is_from_times(
    enum pawl_verdict verdict); /* a comparison of two times decided it */

/* Inconclusive, unsupported: it says nothing about the code; JUnit's "skipped". */
bool pawl_verdict_is_no_judgement(enum pawl_verdict verdict);

/* The exit status of a command that comes to both (PAWL_OK, PAWL_FAILED, PAWL_UNDECIDED): 1 before
 * 2 before 0. */
enum pawl_status_code pawl_worse_status(enum pawl_status_code a, enum pawl_status_code b);

#endif
