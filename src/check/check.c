/* SPDX-License-Identifier: Apache-2.0 */
#include "check/check.h"

#include <math.h>

#include "base/budget.h"
#include "base/progress.h"
#include "check/base_support.h"
#include "check/row.h"
#include "worker/fork_server.h"

#define CRASHES_IN_A_ROW 3 /* then pawl runs no more rows of the kernel */

/* Lays every case out once. The shared memory then has its full size before a worker, whose address
 * space is limited, starts with it, and before a GPU's driver pins it. */
static pawl_status check_reserve(struct pawl_oracle *oracle, const struct pawl_check_matrix *matrix,
                                 struct pawl_error *err) {
  for (size_t i = 0; i < matrix->count; i++) {
    PAWL_CLEANUP(pawl_problem_release) struct pawl_problem problem = {0};
    PAWL_TRY(pawl_problem_init(&problem, oracle, &matrix->items[i].config, 1, err));
  }
  return PAWL_OK;
}

static double worse(double total, double now) { return isnan(total) || now > total ? now : total; }

void pawl_check_report_init(struct pawl_check_report *report, size_t room, bool reduced,
                            struct pawl_arena *arena) {
  *report =
      (struct pawl_check_report){.reduced = reduced,
                                 .rows = pawl_arena_alloc(arena, room + 1, sizeof *report->rows),
                                 .total = {.max_abs_error = NAN,
                                           .max_rel_error = NAN,
                                           .mean_abs_error = NAN,
                                           .correlation = NAN,
                                           .rel_rms_error = NAN}};
}

void pawl_check_report_add(struct pawl_check_report *report, const struct pawl_check_row *row) {
  struct pawl_correctness *total = &report->total;
  report->rows[report->count++] = *row;
  report->passed += row->outcome == PAWL_OUTCOME_OK;
  report->unsupported += row->outcome == PAWL_OUTCOME_UNSUPPORTED;
  report->unjudged += row->unjudged;
  report->failed += pawl_outcome_fails(row->outcome);
  total->max_abs_error = worse(total->max_abs_error, row->errors.max_abs_error);
  total->max_rel_error = worse(total->max_rel_error, row->errors.max_rel_error);
  total->mean_abs_error = worse(total->mean_abs_error, row->errors.mean_abs_error);
  total->rel_rms_error = worse(total->rel_rms_error, row->errors.rel_rms_error);
  total->correlation = -worse(-total->correlation, -row->errors.correlation);
  total->oracle = pawl_correctness_oracle(total->oracle, row->errors.oracle);
  total->known = report->passed + report->failed > 0;
  total->passed = report->passed > 0 && report->failed == 0;
}

static bool in_ranges(const struct pawl_check_options *options, size_t number) {
  for (size_t i = 0; i < options->range_count; i++)
    if (number >= options->ranges[i].first && number <= options->ranges[i].last) return true;
  return options->range_count == 0;
}

static pawl_status check_ranges(const struct pawl_check_options *options, size_t rows,
                                struct pawl_error *err) {
  for (size_t i = 0; i < options->range_count; i++)
    if (options->ranges[i].last >= rows)
      return pawl_fail(err, PAWL_USAGE, "no row %zu: the check of '%s' has the rows 0 to %zu",
                       options->ranges[i].last, options->worker->name, rows - 1);
  return PAWL_OK;
}

static bool check_is_chosen(const struct pawl_check_options *options, size_t row) {
  return in_ranges(options, row) &&
         (options->shards <= 0 || (int)(row % (size_t)options->shards) == options->shard - 1);
}

/* Starts the kernel's process before a row lays its problem out. On a GPU the address space has no
 * limit, so options->launched may lay out a problem that stays, below those of the rows. If the
 * process cannot start, a row tries again and reports the failure. */
static void check_launch(struct pawl_check_subject *subject,
                         const struct pawl_check_matrix *matrix) {
  const struct pawl_check_options *options = subject->options;
  struct pawl_error ignored;
  if (options->waits && pawl_fork_servers_begin(options->worker, true))
    options->waits(options->context);
  if (pawl_check_subject_launch(subject, &ignored) != PAWL_OK || !options->launched) return;
  options->launched(options->context);
  if (check_reserve(options->oracle, matrix, &ignored) != PAWL_OK)
    return; /* a row meets the same failure and reports it */
}

/* The rows that ran keep their outcomes. */
static void leave_out(struct pawl_check_report *report, size_t rows) {
  report->left_out = rows;
  report->total.passed = false;
}

static pawl_status run_rows(struct pawl_check_subject *subject, struct pawl_base_support *base,
                            const struct pawl_check_matrix *matrix,
                            struct pawl_check_report *report, struct pawl_error *err) {
  const struct pawl_check_options *options = subject->options;
  int crashes = 0;
  enum pawl_outcome last = PAWL_OUTCOME_OK;
  size_t chosen = 0, done = 0;
  bool says_wrong = options->says_wrong;
  for (size_t i = 0; i < matrix->count; i++) chosen += check_is_chosen(options, i);
  if (chosen) check_launch(subject, matrix);
  for (size_t i = 0; i < matrix->count; i++) {
    const struct pawl_check_item *item = &matrix->items[i];
    if (!check_is_chosen(options, i)) continue;
    done++;
    struct pawl_check_row row = {.number = i,
                                 .config = item->config,
                                 .distribution = item->distribution,
                                 .seed = options->seed};
    if (crashes == CRASHES_IN_A_ROW) {
      row.outcome = last;
      row.not_run = true;
      row.errors = pawl_check_no_errors();
      row.reason = "the kernel failed three times in a row";
    } else {
      const struct pawl_progress progress = {"checking", (double)(done - 1), (double)chosen, false};
      pawl_progress_show(options->log, &progress, "%s, row %zu: %zu of %zu rows",
                         options->worker->name, i, done, chosen);
      enum pawl_status_code status = pawl_check_row_run(subject, item, &row, err);
      last = row.outcome;
      crashes = pawl_outcome_fails(last) && last != PAWL_OUTCOME_WRONG ? crashes + 1 : 0;
      if (status == PAWL_OK && !row.unjudged)
        status = pawl_base_support_judge(base, item, &row, err);
      if (pawl_budget_ended(status)) {
        leave_out(report, chosen - done + 1);
        return PAWL_OK;
      }
      if (status != PAWL_OK) return status;
    }
    if (item->edge && row.outcome == PAWL_OUTCOME_UNSUPPORTED && !row.unjudged) continue;
    if (says_wrong && row.outcome == PAWL_OUTCOME_WRONG) {
      pawl_check_row_say(options->log, options->worker->name, &row, options->reduced);
      says_wrong = false;
    }
    pawl_check_report_add(report, &row);
  }
  return PAWL_OK;
}

/* The report's cases live in its arena, because they outlive the matrix. */
static pawl_status check(const struct pawl_check_options *options,
                         const struct pawl_check_matrix *matrix, struct pawl_arena *arena,
                         struct pawl_check_report *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_check_subject_release)
  struct pawl_check_subject subject = {.options = options, .arena = arena};
  PAWL_CLEANUP(pawl_base_support_release)
  struct pawl_base_support base = {.options = options, .arena = arena};
  struct pawl_check_report report;
  PAWL_TRY(check_ranges(options, matrix->count, err));
  pawl_check_report_init(&report, matrix->count, options->reduced, arena);
  enum pawl_status_code status = check_reserve(options->oracle, matrix, err);
  if (pawl_budget_ended(status)) {
    leave_out(&report, matrix->count);
    *out = report;
    return PAWL_OK;
  }
  if (status == PAWL_OK) status = run_rows(&subject, &base, matrix, &report, err);
  report.unasked = base.unasked;
  if (status == PAWL_OK) pawl_check_subject_leave(&subject);
  pawl_progress_end(options->log);
  if (status != PAWL_OK) return status;
  *out = report;
  return PAWL_OK;
}

pawl_status pawl_check_kernel(const struct pawl_check_options *options, struct pawl_arena *arena,
                              struct pawl_check_report *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_check_matrix_release) struct pawl_check_matrix matrix = {0};
  PAWL_TRY(pawl_check_matrix_init(&matrix, options, arena, err));
  return check(options, &matrix, arena, out, err);
}
