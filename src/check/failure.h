/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of a check that look alike: one of them is shown, the others are counted. */
#ifndef PAWL_CHECK_FAILURE_H
#define PAWL_CHECK_FAILURE_H

#include "check/check.h"

bool pawl_check_row_failed(const struct pawl_check_row *row);
/* "crashed", "wrong"; "not run" of a row that pawl did not run because the kernel had failed too
 * often. */
const char *pawl_check_row_word(const struct pawl_check_row *row);
/* How many of the failed rows pawl did not run. */
size_t pawl_check_not_run(const struct pawl_check_report *report);
/* Both failed, in the same way: the reasons are the same but for their numbers. */
bool pawl_check_rows_alike(const struct pawl_check_row *a, const struct pawl_check_row *b);

/* A failed row and the number of failed rows after it that look like it. */
struct pawl_check_failure {
  const struct pawl_check_row *row;
  size_t others;
};
/* The failures of a report in its order, each kind once; allocated with pawl_alloc. */
struct pawl_check_failure *pawl_check_failures(const struct pawl_check_report *report,
                                               size_t *count);

#endif
