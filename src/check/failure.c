/* SPDX-License-Identifier: Apache-2.0 */
#include "check/failure.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"

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

/* Behind the number that begins here: "-1.94e-06", "1000"; the same place where none does. */
static const char *skip_number(const char *text) {
  const char *end = text + (*text == '-');
  if (!isdigit((unsigned char)*end)) return text;
  while (isalnum((unsigned char)*end) || *end == '.' || ((*end == '-' || *end == '+') && end[-1] == 'e')) end++;
  return end;
}

static bool same_but_for_numbers(const char *a, const char *b) {
  while (*a && *b) {
    const char *after_a = skip_number(a), *after_b = skip_number(b);
    if (after_a != a && after_b != b) {
      a = after_a;
      b = after_b;
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

bool pawl_check_rows_alike(const struct pawl_check_row *a, const struct pawl_check_row *b) {
  if (!pawl_check_row_failed(a) || a->outcome != b->outcome || a->not_run != b->not_run) return false;
  return a->reason && b->reason ? same_but_for_numbers(a->reason, b->reason) : a->reason == b->reason;
}

struct pawl_check_failure *pawl_check_failures(const struct pawl_check_report *report, size_t *count) {
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
