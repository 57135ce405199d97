/* SPDX-License-Identifier: Apache-2.0 */
/* What a run comes to, in one word, and in which order its rows are read. */
#ifndef PAWL_RECORD_CONCLUSION_H
#define PAWL_RECORD_CONCLUSION_H

#include "record/run_report.h"

/* The worst first: a run is called by the first that applies. */
enum pawl_conclusion {
  PAWL_CONCLUSION_BUILD_FAILED = 1,
  PAWL_CONCLUSION_WRONG,
  PAWL_CONCLUSION_CRASHED,
  PAWL_CONCLUSION_HUNG,
  PAWL_CONCLUSION_NO_TIMES,
  PAWL_CONCLUSION_BROKEN, /* no valid result, and the document does not say why */
  PAWL_CONCLUSION_REGRESSION,
  PAWL_CONCLUSION_MISSING,
  PAWL_CONCLUSION_INCONCLUSIVE,
  PAWL_CONCLUSION_ACCEPTED,
  PAWL_CONCLUSION_IMPROVEMENT,
  PAWL_CONCLUSION_NEW,
  PAWL_CONCLUSION_MAINTAINED,
  PAWL_CONCLUSION_CORRECT,  /* a check alone, and nothing failed */
  PAWL_CONCLUSION_MEASURED, /* there was nothing to judge by */
  PAWL_CONCLUSION_NOTHING   /* nothing was measured either */
};

enum pawl_conclusion pawl_run_conclusion(const struct pawl_run_report *report);
const char *pawl_conclusion_name(
    enum pawl_conclusion conclusion); /* "build_failed" "wrong" ...: in documents */
const char *pawl_conclusion_title(
    enum pawl_conclusion conclusion); /* "BUILD FAILED" ...: for people */
bool pawl_conclusion_fails(enum pawl_conclusion conclusion);
bool pawl_conclusion_is_good(
    enum pawl_conclusion conclusion); /* improvement, new, maintained, correct */

size_t pawl_run_failed_builds(const struct pawl_run_report *report);
size_t pawl_run_failed_checks(const struct pawl_run_report *report); /* kernels that failed */

size_t pawl_run_passed_checks(
    const struct pawl_run_report *report); /* rows of all kernels that passed */

/* What became of the kernel in the checks that failed, the worst: WRONG before CRASHED before HUNG;
 * OK: none failed. */
enum pawl_outcome pawl_check_worst(const struct pawl_check_report *check);
/* The conclusion of a run in which this is the worst outcome; 0: the outcome is no failure. */
enum pawl_conclusion pawl_outcome_conclusion(enum pawl_outcome outcome);

/* The rows of the ratchet, the worst first, else as they stand; allocated with pawl_alloc. NULL
 * when there are none. */
const struct pawl_ratchet_row **pawl_run_rows(const struct pawl_run_report *report, size_t *count);

#endif
