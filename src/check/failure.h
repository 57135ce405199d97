/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of a check that look alike. The report shows one of them and counts the others. */
#pragma once

#include "check/check.h"

bool pawl_check_row_failed(const struct pawl_check_row *row);
/* Returns "crashed", "wrong", or "not run" for a row that pawl skipped after too many failures. */
const char *pawl_check_row_word(const struct pawl_check_row *row);
/* Counts the failed rows that pawl did not run. */
size_t pawl_check_not_run(const struct pawl_check_report *report);
/* Counts the shapes that the base takes and the kernel refuses. *first is a row of the first such
 * shape, or NULL. */
size_t pawl_check_dropped(const struct pawl_check_report *report,
                          const struct pawl_check_row **first);
/* Returns whether both rows failed with the same reason, apart from its numbers. */
bool pawl_check_rows_alike(const struct pawl_check_row *a, const struct pawl_check_row *b);

/* A failed row and the number of failed rows after it that look like it. */
struct pawl_check_failure {
  const struct pawl_check_row *row;
  size_t others;
};
/* Returns the failures of a report in its order, each kind once; allocated with pawl_alloc. */
struct pawl_check_failure *pawl_check_failures(const struct pawl_check_report *report,
                                               size_t *count);
