/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the first screen: the verdict in one line, its subject, and a row for each
   configuration. */
#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "check/failure.h"
#include "record/conclusion.h"
#include "report/color.h"
#include "report/document.h"
#include "report/figures.h"
#include "report/row_change.h"

#define ROWS_IN_SIGHT 30 /* longer tables show the rows that need attention and fold the rest */

/* --- headline --- */

static const char *configurations(size_t count) {
  return count == 1 ? "configuration" : "configurations";
}

static void say_case(struct pawl_document *d, const char *kernel_name,
                     const struct pawl_case *config) {
  pawl_document_code(d, kernel_name);
  pawl_document_printf(d, " on ");
  pawl_document_code(d, config->name);
}

/* Writes "12.34 % slower [+11.90, +12.80]", or for an unpaired row "12.3 % slower, unpaired (1.234
   ms -> 1.386 ms)". */
static void say_change(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  char change[PAWL_ROW_CHANGE], before[PAWL_FIGURE], after[PAWL_FIGURE];
  pawl_document_printf(d, "%s", pawl_row_change(row, change));
  if (pawl_row_is_paired(row)) return;
  pawl_document_printf(d, " (%s \xe2\x86\x92 %s)", pawl_figure_time(item->baseline_ms, before),
                       pawl_figure_time(item->current_ms, after));
}

static void say_build(struct pawl_document *d, const struct pawl_run_report *report) {
  const char *separator = "";
  for (size_t i = 0; i < report->build_count; i++) {
    if (report->builds[i].ok) continue;
    pawl_document_printf(d, "%s", separator);
    pawl_document_code(d, report->builds[i].kernel_name);
    separator = ", ";
  }
  pawl_document_printf(d,
                       pawl_run_failed_builds(report) == 1 ? " does not build." : " do not build.");
}

/* Returns whether all failed checks have this outcome. */
static bool failed_alike(const struct pawl_check_report *check, enum pawl_outcome outcome) {
  for (size_t i = 0; i < check->count; i++)
    if (pawl_outcome_fails(check->rows[i].outcome) && check->rows[i].outcome != outcome)
      return false;
  return true;
}

static void say_failed_checks(struct pawl_document *d, const struct pawl_run_report *report) {
  static const char *const verbs[PAWL_OUTCOMES] = {
      [PAWL_OUTCOME_CRASHED] = "crashes in", [PAWL_OUTCOME_HUNG] = "hangs in"};
  const char *separator = "";
  for (size_t i = 0; i < report->check_count; i++) {
    const struct pawl_check_report *check = report->checks[i].report;
    if (check->failed == 0) continue;
    pawl_document_printf(d, "%s", separator);
    pawl_document_code(d, report->checks[i].kernel_name);
    const enum pawl_outcome worst = pawl_check_worst(check);
    const char *verb = failed_alike(check, worst) ? verbs[worst] : NULL;
    const size_t not_run = pawl_check_not_run(check);
    pawl_document_printf(d, " %s %zu of %zu checks", verb ? verb : "fails", check->failed - not_run,
                         check->count);
    if (not_run) pawl_document_printf(d, " (%zu not run)", not_run);
    separator = ", ";
  }
  pawl_document_printf(d, ".");
}

/* Writes the number of rows that failed in the timing, and the first row whose outcome gave the
   conclusion. */
static void say_broken(struct pawl_document *d, const struct pawl_run_report *report,
                       enum pawl_conclusion conclusion) {
  size_t count = 0;
  const struct pawl_result *first = NULL;
  for (size_t i = 0; report->results && i < report->results->count; i++) {
    const struct pawl_result *result = &report->results->items[i];
    if (!pawl_outcome_fails(result->outcome)) continue;
    count++;
    if (!first && pawl_outcome_conclusion(result->outcome) == conclusion) first = result;
  }
  if (!first) {
    pawl_document_printf(
        d, "%zu %s without a valid result.",
        report->ratchet ? report->ratchet->counts[PAWL_VERDICT_BROKEN] : 0,
        configurations(report->ratchet ? report->ratchet->counts[PAWL_VERDICT_BROKEN] : 0));
    return;
  }
  pawl_document_printf(d, "%zu of %zu %s without a valid result: ", count, report->results->count,
                       configurations(report->results->count));
  say_case(d, first->kernel_name, &first->config);
  pawl_document_printf(d, ", %s.",
                       first->outcome == PAWL_OUTCOME_WRONG      ? "a wrong result"
                       : first->outcome == PAWL_OUTCOME_BUILD    ? "which does not build"
                       : first->outcome == PAWL_OUTCOME_HUNG     ? "which hung"
                       : first->outcome == PAWL_OUTCOME_NO_TIMES ? "which gives no times"
                                                                 : "which crashed");
}

/* Writes the shapes that the base supports and the change refuses. They come from the checks, else
   from the rows. */
static void say_dropped(struct pawl_document *d, const struct pawl_run_report *report) {
  const char *separator = "";
  for (size_t i = 0; i < report->check_count; i++) {
    const struct pawl_check_row *first;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
    const size_t count = pawl_check_dropped(report->checks[i].report, &first);
    if (!count) continue;
    pawl_case_key(&first->config, &shape);
    pawl_document_printf(d, "%s", separator);
    pawl_document_code(d, report->checks[i].kernel_name);
    pawl_document_printf(d, " refuses %zu shape%s that the base takes: row %zu, ", count,
                         count == 1 ? "" : "s", first->number);
    pawl_document_code(d, pawl_text_string(&shape));
    separator = "; ";
  }
  if (*separator) {
    pawl_document_printf(d, ".");
    return;
  }
  size_t rows;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **sorted = pawl_run_rows(report, &rows);
  const size_t count = report->ratchet->counts[PAWL_VERDICT_DROPPED];
  pawl_document_printf(d, "%zu of %zu %s dropped: ", count, rows, configurations(rows));
  say_case(d, sorted[0]->comparison.kernel_name, &sorted[0]->comparison.config);
  pawl_document_printf(d, ".");
}

/* Writes the first failed step: the build, the check or the timing. */
static void say_failure(struct pawl_document *d, const struct pawl_run_report *report,
                        enum pawl_conclusion conclusion) {
  if (pawl_run_failed_builds(report))
    say_build(d, report);
  else if (pawl_run_failed_checks(report))
    say_failed_checks(d, report);
  else
    say_broken(d, report, conclusion);
}

/* Writes the number of rows with the verdict, and the first of them, which has the largest
   change. */
static void say_moved(struct pawl_document *d, const struct pawl_run_report *report,
                      enum pawl_verdict verdict) {
  const size_t count = report->ratchet->counts[verdict];
  size_t rows, first = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **sorted = pawl_run_rows(report, &rows);
  while (sorted[first]->comparison.verdict != verdict) first++;
  const struct pawl_comparison *item = &sorted[first]->comparison;
  pawl_document_printf(d, "%zu of %zu %s %s%s: ", count, rows, configurations(rows),
                       pawl_verdict_total_word(verdict), count > 1 ? ", the largest change" : "");
  say_case(d, item->kernel_name, &item->config);
  pawl_document_printf(d, ", ");
  say_change(d, sorted[first]);
  if (sorted[first]->accepted) {
    pawl_document_printf(d, ", accepted here because ");
    pawl_document_code(d, sorted[first]->accepted->reason);
  }
  pawl_document_printf(d, ".");
}

/* Writes the number of rows with the verdict, and the reason of the first of them. */
static void say_reason(struct pawl_document *d, const struct pawl_run_report *report,
                       enum pawl_verdict verdict) {
  const struct pawl_ratchet_report *r = report->ratchet;
  size_t first = 0;
  while (r->rows[first].comparison.verdict != verdict) first++;
  const struct pawl_comparison *item = &r->rows[first].comparison;
  pawl_document_printf(d, "%zu of %zu %s: ", r->counts[verdict], r->count,
                       configurations(r->count));
  say_case(d, item->kernel_name, &item->config);
  if (item->reason) {
    pawl_document_printf(d, ": ");
    pawl_document_prose(d, item->reason);
  }
  pawl_document_printf(d, ".");
}

/* Writes the first reason why no configuration has a time. */
static void say_nothing(struct pawl_document *d, const struct pawl_results *results) {
  for (size_t i = 0; results && i < results->count; i++) {
    const struct pawl_result *row = &results->items[i];
    if (!row->reason) continue;
    pawl_document_printf(d, "no configuration has a time: ");
    pawl_document_code(d, row->kernel_name);
    pawl_document_printf(d, ": ");
    pawl_document_prose(d, row->reason);
    return;
  }
  pawl_document_printf(d, "there are no results.");
}

static void say_conclusion(struct pawl_document *d, const struct pawl_run_report *report,
                           enum pawl_conclusion conclusion) {
  const struct pawl_ratchet_report *r = report->ratchet;
  switch (conclusion) {
    case PAWL_CONCLUSION_BUILD_FAILED:
    case PAWL_CONCLUSION_WRONG:
    case PAWL_CONCLUSION_CRASHED:
    case PAWL_CONCLUSION_HUNG:
    case PAWL_CONCLUSION_NO_TIMES:
    case PAWL_CONCLUSION_BROKEN: say_failure(d, report, conclusion); break;
    case PAWL_CONCLUSION_DROPPED: say_dropped(d, report); break;
    case PAWL_CONCLUSION_REGRESSION: say_moved(d, report, PAWL_VERDICT_REGRESSION); break;
    case PAWL_CONCLUSION_ACCEPTED: say_moved(d, report, PAWL_VERDICT_ACCEPTED); break;
    case PAWL_CONCLUSION_IMPROVEMENT: say_moved(d, report, PAWL_VERDICT_IMPROVEMENT); break;
    case PAWL_CONCLUSION_MISSING:
      pawl_document_printf(d, "the run did not measure %zu %s of the baseline.",
                           r->counts[PAWL_VERDICT_MISSING],
                           configurations(r->counts[PAWL_VERDICT_MISSING]));
      break;
    case PAWL_CONCLUSION_WORSE_CODE: say_reason(d, report, PAWL_VERDICT_WORSE_CODE); break;
    case PAWL_CONCLUSION_NEEDS_GPU: say_reason(d, report, PAWL_VERDICT_NEEDS_GPU); break;
    case PAWL_CONCLUSION_INCONCLUSIVE:
      pawl_document_printf(d, "no decision for %zu of %zu %s.",
                           r->counts[PAWL_VERDICT_INCONCLUSIVE], r->count,
                           configurations(r->count));
      break;
    case PAWL_CONCLUSION_NEW:
      pawl_document_printf(d, "no %sbaseline yet for %zu of %zu %s.",
                           report->baseline_uncommitted ? "committed " : "",
                           r->counts[PAWL_VERDICT_NEW], r->count, configurations(r->count));
      break;
    case PAWL_CONCLUSION_MAINTAINED:
      pawl_document_printf(d, "%zu of %zu %s within the limits.",
                           r->counts[PAWL_VERDICT_MAINTAINED], r->count, configurations(r->count));
      break;
    case PAWL_CONCLUSION_CORRECT:
      pawl_document_printf(d, "%zu checks passed.", pawl_run_passed_checks(report));
      break;
    case PAWL_CONCLUSION_MEASURED:
      pawl_document_printf(d, "%zu %s, without a baseline.", report->results->count,
                           configurations(report->results->count));
      break;
    case PAWL_CONCLUSION_NOTHING: say_nothing(d, report->results); break;
  }
}

static void say_context(struct pawl_document *d, const struct pawl_results *results) {
  const char *hardware = results->hardware_name ? results->hardware_name : results->hardware;
  if (!results->commit && !hardware) return; /* the document does not contain them */
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "Commit ");
  pawl_document_commit(d, results->commit);
  if (results->dirty) pawl_document_printf(d, " with uncommitted changes");
  pawl_document_printf(d, " on ");
  pawl_document_code(d, hardware);
  if (results->toolchain) {
    pawl_document_printf(d, ", built by ");
    pawl_document_code(d, results->toolchain);
  }
  if (results->timestamp) pawl_document_printf(d, ", ");
  if (results->timestamp) pawl_document_code(d, results->timestamp);
  if (results->timestamp) pawl_document_printf(d, " UTC");
  pawl_document_printf(d, ".");
  d->format->paragraph_end(d->out);
}

static void say_shard(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->shards < 2) return;
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "Part %d of %d: other machines measure the other configurations.",
                       report->shard, report->shards);
  d->format->paragraph_end(d->out);
}

/* Returns whether any verdict uses stored samples. */
static bool judged_unpaired(const struct pawl_run_report *report) {
  if (!report->unpaired || !report->ratchet) return false;
  for (size_t i = 0; i < report->ratchet->count; i++)
    if (pawl_row_has_change(&report->ratchet->rows[i])) return true;
  return false;
}

void pawl_section_conclusion(struct pawl_document *d, const struct pawl_run_report *report) {
  const enum pawl_conclusion conclusion = pawl_run_conclusion(report);
  const bool uncommitted = conclusion == PAWL_CONCLUSION_NEW && report->baseline_uncommitted;
  d->format->headline(d->out, pawl_conclusion_color(conclusion),
                      uncommitted ? "BASELINE NOT COMMITTED" : pawl_conclusion_title(conclusion));
  pawl_document_printf(d, "%s: ", judged_unpaired(report) ? " (unpaired)" : "");
  say_conclusion(d, report, conclusion);
  d->format->paragraph_end(d->out);
}

void pawl_section_headline(struct pawl_document *d, const struct pawl_run_report *report) {
  pawl_section_conclusion(d, report);
  pawl_section_why(d, report);
  if (report->results) say_context(d, report->results);
  say_shard(d, report);
  if (judged_unpaired(report)) {
    d->format->paragraph_begin(d->out);
    pawl_document_printf(
        d,
        "Unpaired: this run did not measure the base again and used the samples stored in the "
        "baseline. A difference can come from the machine and not from the code.");
    d->format->paragraph_end(d->out);
  }
  if (report->notice_count == 0) return;
  d->format->list_begin(d->out);
  for (size_t i = 0; i < report->notice_count; i++) {
    d->format->item_begin(d->out);
    pawl_document_printf(d, "Note: ");
    pawl_document_prose(d, report->notices[i]);
    d->format->item_end(d->out);
  }
  d->format->list_end(d->out);
}

/* --- a row for each configuration --- */

static const struct pawl_column verdict_columns[] = {
    {"verdict", PAWL_COLUMN_TEXT},  {"kernel", PAWL_COLUMN_TEXT},
    {"case", PAWL_COLUMN_TEXT},     {"change", PAWL_COLUMN_NUMBER},
    {"blocks", PAWL_COLUMN_NUMBER}, {"detectable", PAWL_COLUMN_NUMBER},
    {"p", PAWL_COLUMN_NUMBER},      {"baseline", PAWL_COLUMN_NUMBER},
    {"now", PAWL_COLUMN_NUMBER},
};
#define VERDICT_COLUMNS PAWL_COUNT(verdict_columns)
#define FIRST_OF_BLOCKS 4
#define LAST_OF_BLOCKS 6

/* A figure without a meaning in its row, such as a change without a baseline, is a dash. An unknown
   figure with a meaning is "unknown". */
static const char *or_dash(bool meant, const char *figure) {
  return meant ? figure : "\xe2\x80\x93";
}

/* Writes how many blocks of a row count, the smallest change that they could detect, and the
 * p-value. */
static void block_cells(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const bool paired = pawl_row_is_paired(row);
  char text[PAWL_FIGURE];
  snprintf(text, sizeof text, "%zu", paired ? row->paired->counted : 0);
  pawl_document_cell(d, &verdict_columns[4], or_dash(paired, text));
  pawl_document_cell(
      d, &verdict_columns[5],
      or_dash(paired, paired ? pawl_figure_percent(row->paired->detectable * 100, text) : ""));
  pawl_document_cell(d, &verdict_columns[6],
                     or_dash(paired, paired ? pawl_figure_p(row->paired->p, text) : ""));
}

static void time_cells(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_row_times times = pawl_row_times(row);
  const bool now = row->result && row->result->outcome == PAWL_OUTCOME_OK;
  char text[PAWL_FIGURE];
  pawl_document_cell(
      d, &verdict_columns[7],
      or_dash(row->entry || isfinite(times.before_ms), pawl_figure_time(times.before_ms, text)));
  pawl_document_cell(
      d, &verdict_columns[8],
      or_dash(now || isfinite(times.now_ms),
              pawl_figure_time_interval(times.now_ms, times.low_ms, times.high_ms, text)));
}

static void verdict_row(struct pawl_document *d, const struct pawl_ratchet_row *row, bool blocks) {
  const struct pawl_comparison *item = &row->comparison;
  const bool verdict_fails = pawl_verdict_fails(item->verdict);
  char change[PAWL_ROW_CHANGE];
  d->format->row_begin(d->out, pawl_verdict_color(item->verdict));
  d->format->cell_begin(d->out, &verdict_columns[0]);
  (verdict_fails ? d->format->strong : d->format->words)(d->out, pawl_verdict_name(item->verdict));
  d->format->cell_end(d->out);
  pawl_document_code_cell(d, &verdict_columns[1], item->kernel_name);
  pawl_document_code_cell(d, &verdict_columns[2], item->config.name);
  pawl_document_cell(
      d, &verdict_columns[3],
      or_dash(pawl_row_has_change(row) || pawl_row_same_code(row), pawl_row_change(row, change)));
  if (blocks) block_cells(d, row);
  time_cells(d, row);
  d->format->row_end(d->out);
}

/* Without a row measured in pairs there is no column for its blocks. */
static void verdict_table(struct pawl_document *d, const struct pawl_ratchet_row *const *rows,
                          size_t count) {
  struct pawl_column columns[VERDICT_COLUMNS];
  size_t used = 0;
  bool blocks = false;
  for (size_t i = 0; i < count; i++) blocks = blocks || pawl_row_is_paired(rows[i]);
  for (size_t i = 0; i < VERDICT_COLUMNS; i++)
    if (blocks || i < FIRST_OF_BLOCKS || i > LAST_OF_BLOCKS) columns[used++] = verdict_columns[i];
  size_t shown = 0;
  d->format->table_begin(d->out, columns, used);
  for (size_t i = 0; i < count; i++)
    if (pawl_document_takes(d, &shown)) verdict_row(d, rows[i], blocks);
  d->format->table_end(d->out);
  pawl_document_more(d, shown, "verdict.json");
}

static void say_totals(struct pawl_document *d, const struct pawl_ratchet_report *r) {
  struct pawl_ratchet_total totals[PAWL_VERDICTS];
  const size_t total_count = pawl_ratchet_totals(r, totals);
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "%zu %s: ", r->count, configurations(r->count));
  const char *separator = "";
  for (size_t i = 0; i < total_count; i++) {
    pawl_document_printf(d, "%s%zu %s", separator, totals[i].count, totals[i].word);
    separator = ", ";
  }
  pawl_document_printf(d, ".");
  d->format->paragraph_end(d->out);
}

void pawl_section_verdicts(struct pawl_document *d, const struct pawl_run_report *report) {
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  if (count == 0) return;
  say_totals(d, report->ratchet);
  size_t loud = 0; /* rows without a change come last */
  while (loud < count && !pawl_verdict_is_quiet(rows[loud]->comparison.verdict)) loud++;
  if (count <= ROWS_IN_SIGHT) loud = count;
  if (loud > 0) verdict_table(d, rows, loud);
  /* the totals say how many there are */
  if (loud == count || (d->most && count - loud > d->most)) return;
  char title[80];
  snprintf(title, sizeof title, "%zu configurations without a change", count - loud);
  d->format->fold_begin(d->out, title);
  verdict_table(d, rows + loud, count - loud);
  d->format->fold_end(d->out);
}
