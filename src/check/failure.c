/* SPDX-License-Identifier: Apache-2.0 */
#include "check/failure.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

bool pawl_check_row_failed(const struct pawl_check_row *row) {
  return pawl_outcome_fails(row->outcome);
}

const char *pawl_check_row_word(const struct pawl_check_row *row) {
  return row->not_run ? "not run" : pawl_outcome_name(row->outcome);
}

size_t pawl_check_not_run(const struct pawl_check_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->count; i++) count += report->rows[i].not_run;
  return count;
}

static bool failure_same_shape(const struct pawl_check_row *a, const struct pawl_check_row *b) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text left = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text right = {0};
  pawl_case_key(&a->config, &left);
  pawl_case_key(&b->config, &right);
  return !strcmp(pawl_text_string(&left), pawl_text_string(&right));
}

/* The rows of a shape follow one another. */
size_t pawl_check_dropped(const struct pawl_check_report *report,
                          const struct pawl_check_row **first) {
  const struct pawl_check_row *last = NULL;
  size_t count = 0;
  *first = NULL;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *row = &report->rows[i];
    if (row->outcome != PAWL_OUTCOME_DROPPED) continue;
    if (!*first) *first = row;
    count += !last || !failure_same_shape(last, row);
    last = row;
  }
  return count;
}

bool pawl_check_rows_alike(const struct pawl_check_row *a, const struct pawl_check_row *b) {
  if (!pawl_check_row_failed(a) || a->outcome != b->outcome || a->not_run != b->not_run)
    return false;
  return a->reason && b->reason ? pawl_same_but_for_numbers(a->reason, b->reason)
                                : a->reason == b->reason;
}

struct pawl_check_failure *pawl_check_failures(const struct pawl_check_report *report,
                                               size_t *count) {
  struct pawl_check_failure *failures = pawl_alloc(report->count + 1, sizeof *failures);
  *count = 0;
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *row = &report->rows[i];
    size_t kind = 0;
    if (!pawl_check_row_failed(row)) continue;
    while (kind < *count && !pawl_check_rows_alike(failures[kind].row, row)) kind++;
    if (kind == *count)
      failures[(*count)++] = (struct pawl_check_failure){row, 0};
    else
      failures[kind].others++;
  }
  return failures;
}
