/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the evidence: the numbers of each verdict that needs attention, the output of the
   compiler, the first wrong element. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/failure.h"
#include "model/names.h"
#include "record/conclusion.h"
#include "report/document.h"
#include "report/figures.h"
#include "report/row_change.h"

#define EVIDENCE_ITEMS 50 /* Rows beyond this number appear only in the table above. */
#define FAILED_CHECKS 10  /* Each kernel lists at most this number of failures. */
#define BLOCK_BYTES 16384 /* A longer compiler output is cut. */

/* --- rows --- */

static void say_figures(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  char a[PAWL_FIGURE], b[PAWL_FIGURE], change[PAWL_ROW_CHANGE];
  pawl_document_printf(d, ": %s, %s \xe2\x86\x92 %s", pawl_row_change(row, change),
                       pawl_figure_time(item->baseline_ms, a),
                       pawl_figure_time(item->current_ms, b));
  if (item->ci_known) {
    pawl_document_printf(
        d, ". The 95 %% intervals%s %s, %s",
        item->current_ci_of == PAWL_INTERVAL_PROCESSES ? " by process" : " of the samples",
        item->ci_overlap ? "overlap" : "are apart",
        pawl_figure_interval(item->baseline_ms, item->baseline_ci_low, item->baseline_ci_high, a));
    pawl_document_printf(
        d, " against %s",
        pawl_figure_interval(item->current_ms, item->current_ci_low, item->current_ci_high, b));
  }
  pawl_document_printf(d, ".");
}

static void say_origin(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_baseline_entry *entry = row->entry;
  if (!entry->git_commit && !entry->timestamp) return;
  pawl_document_printf(d, " The baseline is from ");
  pawl_document_commit(d, entry->git_commit);
  if (entry->timestamp) {
    pawl_document_printf(d, ", ");
    pawl_document_code(d, entry->timestamp);
    pawl_document_printf(d, " UTC");
  }
  if (entry->reason) {
    pawl_document_printf(d, ", accepted because ");
    pawl_document_code(d, entry->reason);
  }
  pawl_document_printf(d, ".");
}

static void section_evidence_say_row(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  d->format->item_begin(d->out);
  pawl_document_code(d, item->kernel_name);
  pawl_document_printf(d, " on ");
  pawl_document_code(d, item->config.name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_case_key(&item->config, &shape);
  if (shape.length > 0 &&
      strcmp(pawl_text_string(&shape), item->config.name ? item->config.name : "") != 0) {
    pawl_document_printf(d, " (");
    pawl_document_code(d, pawl_text_string(&shape));
    pawl_document_printf(d, ")");
  }
  if (isnan(item->current_ms) || !pawl_row_has_change(row)) {
    pawl_document_printf(d, ": %s.", pawl_verdict_name(item->verdict));
  } else {
    say_figures(d, row);
  }
  if (row->entry && !isnan(item->current_ms)) say_origin(d, row);
  pawl_document_reason(d, item->reason);
  d->format->item_end(d->out);
}

/* Rows measured in pairs have their own section. */
static bool needs_evidence(const struct pawl_ratchet_row *row) {
  const enum pawl_verdict verdict = row->comparison.verdict;
  if (verdict == PAWL_VERDICT_ACCEPTED) return true;
  if (pawl_row_is_paired(row) && !pawl_verdict_has_no_time(verdict)) return false;
  return !pawl_verdict_is_quiet(verdict) && verdict != PAWL_VERDICT_NEW;
}

void pawl_section_evidence(struct pawl_document *d, const struct pawl_run_report *report) {
  size_t count, wanted = 0, said = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  for (size_t i = 0; i < count; i++) wanted += needs_evidence(rows[i]);
  if (wanted == 0) return;
  d->format->heading(d->out, "Evidence");
  d->format->list_begin(d->out);
  for (size_t i = 0; i < count && said < EVIDENCE_ITEMS; i++) {
    if (!needs_evidence(rows[i])) continue;
    section_evidence_say_row(d, rows[i]);
    said++;
  }
  d->format->list_end(d->out);
  if (said == wanted) return;
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "The table has %zu more.", wanted - said);
  d->format->paragraph_end(d->out);
}

/* --- builds --- */

static void say_diagnostics(struct pawl_document *d, const char *diagnostics) {
  const size_t length = strlen(diagnostics);
  if (length <= BLOCK_BYTES) {
    d->format->block(d->out, diagnostics);
    return;
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text head = {0};
  pawl_text_add_bytes(&head, diagnostics, BLOCK_BYTES);
  char *line = strrchr(head.data, '\n');
  if (line) *line = '\0';
  d->format->block(d->out, head.data);
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "%zu more bytes are not shown.", length - strlen(head.data));
  d->format->paragraph_end(d->out);
}

static void say_built(struct pawl_document *d, const struct pawl_run_report *report) {
  double seconds = 0;
  long compiles = 0, hits = 0;
  bool hits_known = true;
  for (size_t i = 0; i < report->build_count; i++) {
    seconds += report->builds[i].seconds;
    if (report->builds[i].compiles > 0) compiles += report->builds[i].compiles;
    if (report->builds[i].cache_hits >= 0) hits += report->builds[i].cache_hits;
    hits_known = hits_known && report->builds[i].cache_hits >= 0;
  }
  char text[PAWL_FIGURE];
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "Built %zu of %zu kernels in %s",
                       report->build_count - pawl_run_failed_builds(report), report->build_count,
                       pawl_figure_seconds(seconds, text));
  if (compiles > 0 && hits_known) {
    pawl_document_printf(d, "; %ld of %ld compilations came from the cache.", hits, compiles);
  } else {
    pawl_document_printf(
        d, compiles > 0 ? "; the number of cache hits is unknown." : "; everything is up to date.");
  }
  d->format->paragraph_end(d->out);
}

void pawl_section_builds(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->build_count == 0) return;
  d->format->heading(d->out, "Build");
  for (size_t i = 0; i < report->build_count; i++) {
    if (report->builds[i].ok) continue;
    d->format->paragraph_begin(d->out);
    pawl_document_code(d, report->builds[i].kernel_name);
    pawl_document_printf(d, " does not build:");
    d->format->paragraph_end(d->out);
    if (report->builds[i].diagnostics) say_diagnostics(d, report->builds[i].diagnostics);
  }
  say_built(d, report);
}

/* --- checks --- */

static void say_failed_check(struct pawl_document *d, const struct pawl_check_failure *failure) {
  const struct pawl_check_row *row = failure->row;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_case_key(&row->config, &shape);
  d->format->item_begin(d->out);
  pawl_document_code(d, shape.length > 0 ? pawl_text_string(&shape) : row->config.name);
  if (row->distribution) {
    pawl_document_printf(d, ", inputs ");
    pawl_document_code(d, row->distribution);
  }
  pawl_document_printf(d, ", seed %llu, row %zu: ", (unsigned long long)row->seed, row->number);
  if (row->not_run) pawl_document_printf(d, "not run: ");
  pawl_document_code(d, row->reason);
  if (failure->others) pawl_document_printf(d, " (%zu more like it)", failure->others);
  d->format->item_end(d->out);
}

static void say_failed_checks(struct pawl_document *d, const char *kernel_name,
                              const struct pawl_check_report *check) {
  size_t count, said = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  struct pawl_check_failure *failures = pawl_check_failures(check, &count);
  d->format->list_begin(d->out);
  for (size_t i = 0; i < count && i < FAILED_CHECKS; i++) {
    say_failed_check(d, &failures[i]);
    said += 1 + failures[i].others;
  }
  if (said < check->failed) {
    d->format->item_begin(d->out);
    pawl_document_printf(d, "%zu more", check->failed - said);
    d->format->item_end(d->out);
  }
  d->format->list_end(d->out);
  if (count == 0 || !kernel_name || !pawl_is_name(kernel_name))
    return; /* nobody must paste a name from outside into a shell */
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text command = {0};
  pawl_text_printf(&command, "pawl check %s%s --row %zu", kernel_name,
                   check->reduced ? " --reduced" : "", failures[0].row->number);
  d->format->paragraph_begin(d->out);
  pawl_document_code(d, command.data);
  pawl_document_printf(d, " repeats the first.");
  d->format->paragraph_end(d->out);
}

static void say_check(struct pawl_document *d, const char *kernel_name,
                      const struct pawl_check_report *check) {
  char text[PAWL_FIGURE];
  d->format->paragraph_begin(d->out);
  pawl_document_code(d, kernel_name);
  if (check->passed + check->failed == 0) {
    pawl_document_printf(d, ": no check was possible.");
  } else {
    pawl_document_printf(d, ": %zu of %zu checks passed", check->passed, check->count);
    const struct pawl_check_row *first;
    const size_t dropped = pawl_check_dropped(check, &first);
    if (dropped > 0)
      pawl_document_printf(d, ", %zu shape%s that the base takes %s refused", dropped,
                           dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
    if (check->left_out > 0)
      pawl_document_printf(d, ", %zu left out because the budget ended", check->left_out);
    if (check->unsupported > 0) pawl_document_printf(d, ", %zu not supported", check->unsupported);
    pawl_document_printf(d, "; largest absolute error %s",
                         pawl_figure_number(check->total.max_abs_error, text));
    pawl_document_printf(d, ", largest relative RMS error %s.",
                         pawl_figure_number(check->total.rel_rms_error, text));
  }
  if (check->reduced) pawl_document_printf(d, " Reduced matrix: only the smallest shapes.");
  d->format->paragraph_end(d->out);
  if (check->failed > 0) say_failed_checks(d, kernel_name, check);
}

void pawl_section_checks(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->check_count == 0) return;
  d->format->heading(d->out, "Correctness");
  for (size_t i = 0; i < report->check_count; i++)
    say_check(d, report->checks[i].kernel_name, report->checks[i].report);
}
