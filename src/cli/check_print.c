/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "check/failure.h"
#include "project/kernels.h"

#define OTHERS_SHOWN 6

static void print_shape(const struct pawl_check_row *row) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_case_key(&row->config, &key);
  printf("%s, %s", pawl_text_string(&key), row->distribution);
}

static void check_print_row(const struct pawl_check_row *row) {
  printf("  row %zu %s: ", row->number, pawl_check_row_word(row));
  print_shape(row);
  printf(", seed %" PRIu64 ": %s\n", row->seed, row->reason);
}

static void print_others(const struct pawl_check_report *report,
                         const struct pawl_check_failure *failure) {
  size_t shown = 0;
  printf("    %zu more like it: ", failure->others);
  for (const struct pawl_check_row *row = failure->row + 1; row < report->rows + report->count;
       row++) {
    if (!pawl_check_rows_alike(failure->row, row)) continue;
    if (shown == OTHERS_SHOWN) break;
    printf("%srow %zu (", shown++ ? "; " : "", row->number);
    print_shape(row);
    putchar(')');
  }
  puts(failure->others > shown ? "; ..." : "");
}

static void print_failures(const struct pawl_check_report *report, bool all_rows) {
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer)
  struct pawl_check_failure *failures = pawl_check_failures(report, &count);
  for (size_t i = 0; i < count && !all_rows; i++) {
    check_print_row(failures[i].row);
    if (failures[i].others) print_others(report, &failures[i]);
  }
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *row = &report->rows[i];
    if (row->outcome == PAWL_OUTCOME_UNSUPPORTED || (all_rows && pawl_check_row_failed(row)))
      check_print_row(row);
  }
}

static const struct pawl_check_row *check_print_first_failure(
    const struct pawl_check_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (pawl_check_row_failed(&report->rows[i])) return &report->rows[i];
  return NULL;
}

/* Prints the command that repeats the row, and the command that locates the fault. */
static void print_repeat(const char *kernel, const struct pawl_check_row *row,
                         const struct pawl_check_command *command) {
  const struct pawl_check_selection *selection = command->selection;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  pawl_text_printf(&words, "pawl check %s", kernel);
  if (selection->only_case) pawl_text_printf(&words, " --case %s", selection->only_case);
  if (selection->assignments) pawl_text_printf(&words, " --set %s", selection->assignments);
  if (selection->check.reduced) pawl_text_add(&words, " --reduced");
  if (command->definitions) pawl_text_printf(&words, " %s", command->definitions);
  if (selection->check.seed != PAWL_DEFAULT_SEED)
    pawl_text_printf(&words, " --seed %" PRIu64, selection->check.seed);
  pawl_text_printf(&words, " --row %zu", row->number);
  printf("  repeat: %s\n", words.data);
  if (command->program && row->outcome != PAWL_OUTCOME_WRONG)
    printf("  debug:  %s --show-output\n", words.data);
  else if (command->cuda)
    printf("  debug:  %s --under 'compute-sanitizer --tool memcheck'\n", words.data);
  else if (row->outcome == PAWL_OUTCOME_HUNG)
    printf("  debug:  %s --under 'timeout -s INT 10 gdb -batch -ex run -ex bt --args'\n",
           words.data);
  else if (row->outcome == PAWL_OUTCOME_CRASHED)
    printf("  debug:  %s --under 'gdb -batch -ex run -ex bt --args'\n", words.data);
}

void pawl_cli_print_check(const struct pawl_kernel_check *check,
                          const struct pawl_check_command *command) {
  const struct pawl_check_report *report = &check->report;
  if (check->not_checked) return;
  printf("%s: %zu of %zu passed", check->kernel_name, report->passed,
         report->passed + report->failed);
  if (report->unsupported) printf(", %zu not supported", report->unsupported);
  if (report->reduced) printf(" (reduced: only the smallest shapes)");
  putchar('\n');
  if (report->passed) {
    printf("  worst: max abs %.3g, max rel %.3g, mean abs %.3g, rel RMS %.3g",
           report->total.max_abs_error, report->total.max_rel_error, report->total.mean_abs_error,
           report->total.rel_rms_error);
    /* One element, or equal ones, have none. */
    if (!isnan(report->total.correlation)) printf(", correlation %.9f", report->total.correlation);
    putchar('\n');
  }
  print_failures(report, command->all_rows);
  const struct pawl_check_row *first = check_print_first_failure(report);
  if (first) print_repeat(check->kernel_name, first, command);
  if (check->lost) printf("  the check is incomplete: %s\n", check->lost);
}
