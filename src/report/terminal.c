/* SPDX-License-Identifier: Apache-2.0 */
/* The report that `pawl run` prints. Its figures are those of the other reports
   (report/row_change.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/count.h"
#include "gate/paired_advice.h"
#include "record/conclusion.h"
#include "report/document.h"
#include "report/figures.h"
#include "report/line_change.h"
#include "report/row_change.h"
#include "report/terminal_table.h"

#define QUIET_ROWS 30   /* with more rows, the report only counts rows without a change */
#define VERDICT_ROWS 30 /* the report counts the rows beyond these of each verdict */
#define MOST_REASONS 30 /* lines of what failed, each with at most this number of cases: */
#define REASON_CASES 10

/* --- the verdict --- */

static void terminal_add_words(struct pawl_text *out, const char *words) {
  pawl_text_add(out, words);
}
static void terminal_add_code(struct pawl_text *out, const char *outside) {
  pawl_clean_text(outside, false, out);
}
static void end_line(struct pawl_text *out) { pawl_text_add(out, "\n"); }
static void plain_headline(struct pawl_text *out, enum pawl_report_color color,
                           const char *verdict) {
  (void)color;
  pawl_text_add(out, verdict);
}
static void coloured_headline(struct pawl_text *out, enum pawl_report_color color,
                              const char *verdict) {
  static const struct pawl_terminal_style colours = {.colour = true};
  pawl_terminal_color(&colours, color, verdict, out);
}

/* A headline has no table, list or block, so these functions are enough. */
static const struct pawl_document_format plain_line = {.headline = plain_headline,
                                                       .words = terminal_add_words,
                                                       .code = terminal_add_code,
                                                       .paragraph_end = end_line};
static const struct pawl_document_format coloured_line = {.headline = coloured_headline,
                                                          .words = terminal_add_words,
                                                          .code = terminal_add_code,
                                                          .paragraph_end = end_line};

/* --- rows --- */

static const struct pawl_terminal_column columns[] = {{"verdict", false, 0},
                                                      {"kernel", false, 0},
                                                      {"case", false, 0},
                                                      {"change", false, 0},
                                                      {"now", true, 1},
                                                      {"of the limit", true, 3},
                                                      {"against the reference", false, 2}};
#define COLUMNS PAWL_COUNT(columns)

static bool terminal_is_timed(const struct pawl_result *result) {
  return result->outcome == PAWL_OUTCOME_OK && isfinite(result->performance.median_ms);
}

/* Returns the fastest reference with a time on the row's case. */
static const struct pawl_result *best_reference(const struct pawl_results *results,
                                                const char *case_name) {
  const struct pawl_result *best = NULL;
  for (size_t i = 0; results && i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    if (!result->reference || !terminal_is_timed(result) || !case_name || !result->config.name)
      continue;
    if (strcmp(result->config.name, case_name) != 0) continue;
    if (!best || result->performance.median_ms < best->performance.median_ms) best = result;
  }
  return best;
}

/* Writes how many times faster the row is, "2.10x torch_sdpa". pawl timed each alone, in the same
   run. For a reference of an earlier run it writes "2.10x torch_sdpa, kept from 2026-11-20". */
static void reference_cell(struct pawl_terminal_table *table, const struct pawl_run_report *report,
                           const struct pawl_ratchet_row *row) {
  char ratio[32];
  const struct pawl_result *best =
      row->result && terminal_is_timed(row->result)
          ? best_reference(report->results, row->comparison.config.name)
          : NULL;
  if (!best) {
    pawl_terminal_cell(table, "");
    return;
  }
  snprintf(ratio, sizeof ratio, "%.2fx ",
           best->performance.median_ms / row->result->performance.median_ms);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, "%s%s", ratio, best->kernel_name);
  const char *from = json_string_value(json_object_get(best->environment, PAWL_KEPT_FROM));
  if (from) pawl_text_printf(&text, ", kept from %.10s", from);
  pawl_terminal_cell(table, text.data);
}

/* The share of the limit at the time of the row: blocks give that, and the roofline has the time of
   the version alone. */
static const char *limit_cell(const struct pawl_ratchet_row *row, double now_ms,
                              char out[PAWL_FIGURE]) {
  if (!row->result || !terminal_is_timed(row->result)) return "";
  struct pawl_roofline roofline = row->result->roofline;
  if (now_ms > 0) roofline.efficiency_pct *= row->result->performance.median_ms / now_ms;
  return pawl_figure_limit(&roofline, out);
}

static void terminal_add_row(struct pawl_terminal_table *table,
                             const struct pawl_run_report *report,
                             const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  const struct pawl_row_times times = pawl_row_times(row);
  char change[PAWL_ROW_CHANGE], now[PAWL_FIGURE];
  const bool meant = pawl_row_has_change(row) || pawl_row_same_code(row);
  pawl_terminal_row_begin(table, pawl_verdict_color(item->verdict));
  pawl_terminal_cell(table, pawl_verdict_name(item->verdict));
  pawl_terminal_cell(table, item->kernel_name);
  pawl_terminal_cell(table, item->config.name);
  pawl_terminal_cell(table, meant ? pawl_row_change(row, change) : "-");
  pawl_terminal_cell(table, isfinite(times.now_ms) ? pawl_figure_time(times.now_ms, now) : "-");
  pawl_terminal_cell(table, limit_cell(row, times.now_ms, now));
  reference_cell(table, report, row);
}

/* Returns the file that has all of these rows. */
static const char *file_of_rows(size_t rows) {
  return rows > PAWL_RUN_TABLE_ROWS ? "verdict.json" : "report.md";
}

/* Writes "  more in report.md: 70 slower, 20 inconclusive" for the rows that the table leaves
   out. The table of the report has `loud` rows. */
static void terminal_add_left(const struct pawl_ratchet_report *left, size_t loud,
                              struct pawl_text *out) {
  struct pawl_ratchet_total totals[PAWL_VERDICTS];
  const size_t count = pawl_ratchet_totals(left, totals);
  if (count) pawl_text_printf(out, "  more in %s: ", file_of_rows(loud));
  for (size_t i = 0; i < count; i++)
    pawl_text_printf(out, "%s%zu %s", i ? ", " : "", totals[i].count, totals[i].word);
  if (count) pawl_text_add(out, "\n");
}

/* The rows are sorted: the worst come first, and those without a change last. */
static void terminal_add_rows(const struct pawl_run_report *report,
                              const struct pawl_ratchet_row *const *rows, size_t count,
                              const struct pawl_terminal_style *look, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_terminal_table_release)
  struct pawl_terminal_table table = {.columns = columns, .column_count = COLUMNS};
  struct pawl_ratchet_report left = {0};
  size_t shown[PAWL_VERDICTS] = {0}, quiet = 0;
  for (size_t i = 0; i < count; i++) {
    const enum pawl_verdict verdict = rows[i]->comparison.verdict;
    if (count > QUIET_ROWS && pawl_verdict_is_quiet(verdict)) {
      quiet++;
    } else if (shown[verdict] == VERDICT_ROWS) {
      pawl_ratchet_count(&left, verdict);
    } else {
      terminal_add_row(&table, report, rows[i]);
      shown[verdict]++;
    }
  }
  pawl_text_add(out, "\n");
  if (table.row_count > 0) pawl_terminal_table_write(&table, look, out);
  terminal_add_left(&left, count - quiet, out);
  if (quiet > 0)
    pawl_text_printf(out, "  %zu without a change are in %s\n", quiet, file_of_rows(quiet));
}

/* --- what failed --- */

static bool needs_words(const struct pawl_ratchet_row *row) {
  const enum pawl_verdict verdict = row->comparison.verdict;
  return pawl_verdict_fails(verdict) || verdict == PAWL_VERDICT_INCONCLUSIVE ||
         verdict == PAWL_VERDICT_ACCEPTED || verdict == PAWL_VERDICT_UNSUPPORTED;
}

/* Returns why a row needs attention, or NULL if its line says all. */
static const char *terminal_reason_of(const struct pawl_ratchet_row *row, struct pawl_text *text) {
  const struct pawl_paired_test *paired = row->paired;
  if (row->comparison.reason || !paired) return row->comparison.reason;
  if (paired->reason) return paired->reason;
  if (row->comparison.verdict != PAWL_VERDICT_REGRESSION || !paired->anchor) return NULL;
  const char *kind = pawl_anchor_kind_name(paired->anchor_kind);
  pawl_text_printf(text, "slower than %.12s%s%s", paired->anchor, kind ? ", " : "",
                   kind ? kind : "");
  if (paired->origin != PAWL_ORIGIN_UNKNOWN)
    pawl_text_printf(text, "; %s", pawl_origin_name(paired->origin));
  return text->data;
}

static bool same_failure(const struct pawl_ratchet_row *a, const struct pawl_ratchet_row *b) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text left = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text right = {0};
  const char *x = terminal_reason_of(a, &left), *y = terminal_reason_of(b, &right);
  return x && y && !strcmp(x, y) && !strcmp(a->comparison.kernel_name, b->comparison.kernel_name);
}

/* Writes "sdpa_cpu on small, large: it crashed: REASON". Rows of a kernel that failed for one
   reason share a line. Returns whether it wrote one. */
static bool add_failure(const struct pawl_ratchet_row *const *rows, size_t count, size_t first,
                        struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  const char *reason = terminal_reason_of(rows[first], &words);
  for (size_t i = 0; i < first; i++)
    if (needs_words(rows[i]) && same_failure(rows[i], rows[first])) return false;
  if (!reason) return false;
  pawl_text_add(out, "  ");
  pawl_clean_text(rows[first]->comparison.kernel_name, false, out);
  size_t cases = 0;
  for (size_t i = first; i < count; i++) {
    if (i != first && !(needs_words(rows[i]) && same_failure(rows[i], rows[first]))) continue;
    if (cases++ >= REASON_CASES) continue;
    pawl_text_add(out, i == first ? " on " : ", ");
    pawl_clean_text(rows[i]->comparison.config.name ? rows[i]->comparison.config.name : "unknown",
                    false, out);
  }
  if (cases > REASON_CASES) pawl_text_printf(out, " and %zu more", cases - REASON_CASES);
  pawl_text_add(out, ": ");
  pawl_clean_text(reason, false, out);
  pawl_text_add(out, "\n");
  if (!rows[first]->paired) return true;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text advice = {0};
  pawl_paired_test_advise(rows[first]->paired, &advice);
  if (advice.length) pawl_text_printf(out, "    %s\n", advice.data);
  return true;
}

static void add_failures(const struct pawl_ratchet_row *const *rows, size_t count,
                         struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text lines = {0};
  size_t reasons = 0;
  for (size_t i = 0; i < count && reasons < MOST_REASONS; i++)
    if (needs_words(rows[i])) reasons += add_failure(rows, count, i, &lines);
  if (reasons == MOST_REASONS) pawl_text_add(&lines, "  report.md has all reasons\n");
  if (lines.length) pawl_text_printf(out, "\n%s", lines.data);
}

/* --- why --- */

static void add_reason(const char *title, const char *outside, struct pawl_text *out) {
  if (!outside) return;
  pawl_text_add(out, title);
  pawl_clean_text(outside, false, out);
  pawl_text_add(out, "\n");
}

/* Says why each kernel became slower or faster. If the next kernel lacks counters for
   the same reason, the reason is not repeated. */
static void add_reasons(const struct pawl_run_report *report, struct pawl_text *out) {
  const char *said = NULL;
  for (size_t i = 0; i < report->profile_count; i++) {
    const struct pawl_report_profile *row = &report->profiles[i];
    pawl_text_add(out, "\n  why, ");
    pawl_clean_text(row->kernel_name ? row->kernel_name : "unknown", false, out);
    pawl_text_add(out, " on ");
    pawl_clean_text(row->case_name ? row->case_name : "unknown", false, out);
    add_reason(": ",
               row->change                  ? row->change
               : row->missing && row->limit ? "no profile of the base"
                                            : "unknown",
               out);
    pawl_line_list(row, "    ", out);
    add_reason("    limit: ", row->limit, out);
    add_reason("    try: ", row->remedy, out);
    if (row->missing && !(said && !strcmp(said, row->missing)))
      add_reason("    no counters: ", row->missing, out);
    said = row->missing;
  }
}

/* Returns whether a row of the kernel says more than that its times are within the limits. */
static bool is_loud(const struct pawl_ratchet_report *ratchet, const char *kernel) {
  for (size_t i = 0; ratchet && i < ratchet->count; i++)
    if (pawl_text_equal(ratchet->rows[i].comparison.kernel_name, kernel) &&
        !pawl_verdict_is_quiet(ratchet->rows[i].comparison.verdict))
      return true;
  return false;
}

/* Says how the code of these kernels changed, and in which line. */
static void add_code(const struct pawl_run_report *report, struct pawl_text *out) {
  for (size_t i = 0; i < report->code_change_count; i++) {
    const struct pawl_report_code *change = &report->code_changes[i];
    if (!change->line || !is_loud(report->ratchet, change->kernel_name)) continue;
    pawl_text_add(out, "\n  code of ");
    pawl_clean_text(change->kernel_name ? change->kernel_name : "unknown", false, out);
    add_reason(": ", change->line, out);
  }
}

/* --- the end --- */

static void add_moves(const struct pawl_run_report *report, struct pawl_text *out) {
  if (report->move_count == 0) return;
  pawl_text_printf(out, "\nbaseline: %zu entr%s written\n", report->move_count,
                   report->move_count == 1 ? "y" : "ies");
}

static void add_notes(const struct pawl_run_report *report, struct pawl_text *out) {
  if (report->notice_count) pawl_text_add(out, "\n");
  for (size_t i = 0; i < report->notice_count; i++) {
    pawl_text_add(out, "note: ");
    pawl_clean_text(report->notices[i], false, out);
    pawl_text_add(out, "\n");
  }
}

static void add_cost(const struct pawl_run_report *report, const struct pawl_terminal_style *look,
                     struct pawl_text *out) {
  char seconds[PAWL_FIGURE];
  if (!isfinite(report->seconds)) return;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  pawl_text_printf(&line, "%s", pawl_figure_seconds(report->seconds, seconds));
  const struct pawl_run_phases *phases = report->phases;
  if (phases)
    pawl_text_printf(&line, ": build %.1f, check %.1f, bench %.1f, judge %.1f", phases->build,
                     phases->check, phases->bench, phases->judge);
  if (phases && phases->profile > 0.05) pawl_text_printf(&line, ", profile %.1f", phases->profile);
  if (phases && phases->references > 0.05)
    pawl_text_printf(&line, ", references %.1f", phases->references);
  if (phases && phases->waiting > 0.05) pawl_text_printf(&line, ", waiting %.1f", phases->waiting);
  if (isfinite(report->cost_usd) && report->cost_usd > 0)
    pawl_text_printf(&line, "; %.4f USD", report->cost_usd);
  pawl_text_add(out, "\n");
  pawl_terminal_color(look, PAWL_COLOR_DIM, line.data, out);
  pawl_text_add(out, "\n");
}

void pawl_report_terminal(const struct pawl_run_report *report,
                          const struct pawl_terminal_style *look, struct pawl_text *out) {
  struct pawl_document document = {look->colour ? &coloured_line : &plain_line, out};
  size_t count;
  pawl_section_conclusion(&document, report);
  if (look->verdict_only) return;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  if (count) terminal_add_rows(report, rows, count, look, out);
  add_failures(rows, count, out);
  add_reasons(report, out);
  add_code(report, out);
  add_moves(report, out);
  add_notes(report, out);
  add_cost(report, look, out);
}
