/* SPDX-License-Identifier: Apache-2.0 */
/* The conclusion of a run in one word, and the order of its rows. */
#pragma once

#include "record/run_report.h"

/* From the worst to the best. The first that applies is the conclusion of the run. */
enum pawl_conclusion {
  PAWL_CONCLUSION_DROPPED = 1,
  PAWL_CONCLUSION_BUILD_FAILED,
  PAWL_CONCLUSION_WRONG,
  PAWL_CONCLUSION_CRASHED,
  PAWL_CONCLUSION_HUNG,
  PAWL_CONCLUSION_NO_TIMES,
  PAWL_CONCLUSION_BROKEN, /* no valid result, and the document does not say why */
  PAWL_CONCLUSION_REGRESSION,
  PAWL_CONCLUSION_WORSE_CODE,
  PAWL_CONCLUSION_MISSING,
  PAWL_CONCLUSION_INCONCLUSIVE,
  PAWL_CONCLUSION_NEEDS_GPU,
  PAWL_CONCLUSION_ACCEPTED,
  PAWL_CONCLUSION_IMPROVEMENT,
  PAWL_CONCLUSION_NEW,
  PAWL_CONCLUSION_MAINTAINED,
  PAWL_CONCLUSION_CORRECT,  /* a check alone, without a failure */
  PAWL_CONCLUSION_MEASURED, /* there is no baseline to judge by */
  PAWL_CONCLUSION_NOTHING   /* there is no measurement */
};

enum pawl_conclusion pawl_run_conclusion(const struct pawl_run_report *report);
/* Returns the name for documents: "build_failed", "wrong". */
const char *pawl_conclusion_name(enum pawl_conclusion conclusion);
/* Returns the name for people: "BUILD FAILED". */
const char *pawl_conclusion_title(enum pawl_conclusion conclusion);
bool pawl_conclusion_fails(enum pawl_conclusion conclusion);
/* Returns whether the conclusion is improvement, new, maintained or correct. */
bool pawl_conclusion_is_good(enum pawl_conclusion conclusion);

size_t pawl_run_failed_builds(const struct pawl_run_report *report);
/* counts kernels; pawl_run_passed_checks counts rows */
size_t pawl_run_failed_checks(const struct pawl_run_report *report);

size_t pawl_run_passed_checks(const struct pawl_run_report *report);

/* Returns the kernel's worst outcome in a failed check: DROPPED, then WRONG, then CRASHED, then
 * HUNG. Returns OK if none failed. */
enum pawl_outcome pawl_check_worst(const struct pawl_check_report *check);
/* Returns the conclusion of a run with this worst outcome, or 0 if the outcome is no failure. */
enum pawl_conclusion pawl_outcome_conclusion(enum pawl_outcome outcome);

/* Returns the rows of the ratchet, the worst first, allocated with pawl_alloc. Equal rows keep
 * their order. Returns NULL if there are no rows. */
const struct pawl_ratchet_row **pawl_run_rows(const struct pawl_run_report *report, size_t *count);
