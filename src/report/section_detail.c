/* SPDX-License-Identifier: Apache-2.0 */
/* What one looks up: every measurement, the roofline, the moves of the baseline, where and at what cost it was
 * measured. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/result_interval.h"
#include "report/document.h"
#include "report/figures.h"
#include "stats/describe.h"

#define COMMIT_SHOWN 12
#define COUNT(table) (sizeof(table) / sizeof *(table))

void pawl_document_printf(struct pawl_document *document, const char *format, ...) {
  char words[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  document->format->words(document->out, words);
}

void pawl_document_code(struct pawl_document *document, const char *outside) {
  if (outside) {
    document->format->code(document->out, outside);
  } else {
    document->format->words(document->out, "unknown");
  }
}

void pawl_document_commit(struct pawl_document *document, const char *commit) {
  const size_t hexadecimal = commit ? strspn(commit, "0123456789abcdef") : 0;
  char shown[COMMIT_SHOWN + 1];
  const bool full = commit && hexadecimal >= 40 && commit[hexadecimal] == '\0';
  if (full) snprintf(shown, sizeof shown, "%.*s", COMMIT_SHOWN, commit);
  pawl_document_code(document, full ? shown : commit);
}

static void code_cell(struct pawl_document *d, const struct pawl_column *column, const char *outside) {
  d->format->cell_begin(d->out, column);
  pawl_document_code(d, outside);
  d->format->cell_end(d->out);
}

static void cell(struct pawl_document *d, const struct pawl_column *column, const char *words) {
  d->format->cell_begin(d->out, column);
  d->format->words(d->out, words);
  d->format->cell_end(d->out);
}

/* --- measurements --- */

static const struct pawl_column measured_columns[] = {
    {"kernel", PAWL_COLUMN_TEXT},    {"case", PAWL_COLUMN_TEXT},         {"median", PAWL_COLUMN_NUMBER},
    {"95 % CI", PAWL_COLUMN_NUMBER}, {"CV", PAWL_COLUMN_NUMBER},         {"P95", PAWL_COLUMN_NUMBER},
    {"P99", PAWL_COLUMN_NUMBER},     {"throughput", PAWL_COLUMN_NUMBER}, {"bandwidth", PAWL_COLUMN_NUMBER},
    {"samples", PAWL_COLUMN_NUMBER},
};

/* What a file leaves out of the figures, where its samples tell. */
static struct pawl_performance completed(const struct pawl_performance *given) {
  struct pawl_performance all = *given;
  struct pawl_summary summary;
  const bool complete = !isnan(given->median_ms) && !isnan(given->cv) && !isnan(given->p95_ms) && !isnan(given->p99_ms);
  if (complete || pawl_summarize(given->samples_ms, given->sample_count, &summary, NULL) != PAWL_OK) return all;
  if (isnan(all.median_ms)) all.median_ms = summary.median;
  if (isnan(all.cv)) all.cv = summary.cv;
  if (isnan(all.p95_ms)) all.p95_ms = summary.p95;
  if (isnan(all.p99_ms)) all.p99_ms = summary.p99;
  return all;
}

static void measured_row(struct pawl_document *d, const struct pawl_result *result) {
  const struct pawl_performance all = completed(&result->performance), *const p = &all;
  const struct pawl_column *const c = measured_columns;
  char text[PAWL_FIGURE];
  double low, high;
  pawl_result_interval(result, &low, &high);
  d->format->row_begin(d->out, PAWL_TONE_PLAIN);
  code_cell(d, &c[0], result->kernel_name);
  code_cell(d, &c[1], result->config.name);
  cell(d, &c[2], pawl_figure_time(p->median_ms, text));
  cell(d, &c[3], pawl_figure_interval(low, high, text));
  cell(d, &c[4], pawl_figure_percent(p->cv * 100, text));
  cell(d, &c[5], pawl_figure_time(p->p95_ms, text));
  cell(d, &c[6], pawl_figure_time(p->p99_ms, text));
  cell(d, &c[7], pawl_figure_rate(p->throughput_gflops, "FLOP/s", text));
  cell(d, &c[8], pawl_figure_rate(p->bandwidth_gb_s, "B/s", text));
  snprintf(text, sizeof text, "%zu", p->sample_count);
  cell(d, &c[9], p->sample_count > 0 ? text : "unknown");
  d->format->row_end(d->out);
}

static const struct pawl_column untimed_columns[] = {{"kernel", PAWL_COLUMN_TEXT},
                                                     {"case", PAWL_COLUMN_TEXT},
                                                     {"outcome", PAWL_COLUMN_TEXT},
                                                     {"reason", PAWL_COLUMN_PROSE}};

static void untimed_table(struct pawl_document *d, const struct pawl_results *results) {
  d->format->heading(d->out, "Without a time");
  d->format->table_begin(d->out, untimed_columns, COUNT(untimed_columns));
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *const result = &results->items[i];
    if (result->outcome == PAWL_OUTCOME_OK) continue;
    d->format->row_begin(d->out, result->outcome < PAWL_OUTCOME_UNSUPPORTED ? PAWL_TONE_BAD : PAWL_TONE_DIM);
    code_cell(d, &untimed_columns[0], result->kernel_name);
    code_cell(d, &untimed_columns[1], result->config.name);
    cell(d, &untimed_columns[2], pawl_outcome_name(result->outcome));
    code_cell(d, &untimed_columns[3], result->reason);
    d->format->row_end(d->out);
  }
  d->format->table_end(d->out);
}

static void warning_list(struct pawl_document *d, const struct pawl_results *results) {
  d->format->heading(d->out, "Warnings");
  d->format->list_begin(d->out);
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *const result = &results->items[i];
    for (size_t j = 0; j < result->warning_count; j++) {
      d->format->item_begin(d->out);
      pawl_document_code(d, result->kernel_name);
      pawl_document_printf(d, " on ");
      pawl_document_code(d, result->config.name);
      pawl_document_printf(d, ": ");
      pawl_document_code(d, result->warnings[j]);
      d->format->item_end(d->out);
    }
  }
  d->format->list_end(d->out);
}

void pawl_section_measurements(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_results *const results = report->results;
  if (!results || results->count == 0) return;
  size_t timed = 0, warnings = 0;
  for (size_t i = 0; i < results->count; i++) {
    timed += results->items[i].outcome == PAWL_OUTCOME_OK;
    warnings += results->items[i].warning_count;
  }
  if (timed < results->count) untimed_table(d, results);
  if (warnings > 0) warning_list(d, results);
  if (timed == 0) return;
  const bool folded = report->ratchet != NULL;
  if (folded) {
    d->format->fold_begin(d->out, "Measurements");
  } else {
    d->format->heading(d->out, "Measurements");
  }
  d->format->table_begin(d->out, measured_columns, COUNT(measured_columns));
  for (size_t i = 0; i < results->count; i++)
    if (results->items[i].outcome == PAWL_OUTCOME_OK) measured_row(d, &results->items[i]);
  d->format->table_end(d->out);
  if (folded) d->format->fold_end(d->out);
}

/* --- roofline --- */

static const struct pawl_column roofline_columns[] = {
    {"kernel", PAWL_COLUMN_TEXT},          {"case", PAWL_COLUMN_TEXT},
    {"FLOP/byte", PAWL_COLUMN_NUMBER},     {"bound by", PAWL_COLUMN_TEXT},
    {"of that limit", PAWL_COLUMN_NUMBER}, {"what to try", PAWL_COLUMN_PROSE}};

static void roofline_row(struct pawl_document *d, const struct pawl_result *result) {
  const struct pawl_roofline *const r = &result->roofline;
  const struct pawl_column *const c = roofline_columns;
  char text[PAWL_FIGURE];
  d->format->row_begin(d->out, PAWL_TONE_PLAIN);
  code_cell(d, &c[0], result->kernel_name);
  code_cell(d, &c[1], result->config.name);
  cell(d, &c[2], pawl_figure_number(r->arithmetic_intensity, text));
  code_cell(d, &c[3], r->bottleneck);
  cell(d, &c[4], pawl_figure_percent(r->efficiency_pct, text));
  d->format->cell_begin(d->out, &c[5]);
  for (size_t i = 0; i < r->recommendation_count; i++) {
    if (i > 0) pawl_document_printf(d, "; ");
    pawl_document_code(d, r->recommendations[i]);
  }
  d->format->cell_end(d->out);
  d->format->row_end(d->out);
}

static bool has_roofline(const struct pawl_result *result) {
  return result->outcome == PAWL_OUTCOME_OK &&
         (!isnan(result->roofline.arithmetic_intensity) || result->roofline.bottleneck);
}

void pawl_section_roofline(struct pawl_document *d, const struct pawl_run_report *report) {
  size_t count = 0;
  for (size_t i = 0; report->results && i < report->results->count; i++)
    count += has_roofline(&report->results->items[i]);
  if (count == 0) return;
  d->format->fold_begin(d->out, "Roofline");
  d->format->table_begin(d->out, roofline_columns, COUNT(roofline_columns));
  for (size_t i = 0; i < report->results->count; i++)
    if (has_roofline(&report->results->items[i])) roofline_row(d, &report->results->items[i]);
  d->format->table_end(d->out);
  d->format->fold_end(d->out);
}

/* --- the baseline's moves --- */

void pawl_section_baseline(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->move_count == 0) return;
  d->format->heading(d->out, "Baseline moved");
  d->format->list_begin(d->out);
  for (size_t i = 0; i < report->move_count; i++) {
    const struct pawl_baseline_move *const move = &report->moves[i];
    char text[PAWL_FIGURE];
    d->format->item_begin(d->out);
    pawl_document_code(d, move->kernel_name);
    pawl_document_printf(d, " on ");
    pawl_document_code(d, move->case_name);
    pawl_document_printf(d, ": ");
    if (!isnan(move->from_ms)) pawl_document_printf(d, "%s \xe2\x86\x92 ", pawl_figure_time(move->from_ms, text));
    pawl_document_printf(d, "%s (", pawl_figure_time(move->to_ms, text));
    pawl_document_code(d, pawl_move_kind_name(move->kind));
    pawl_document_printf(d, ") at commit ");
    pawl_document_commit(d, move->git_commit);
    if (move->reason) {
      pawl_document_printf(d, " because ");
      pawl_document_code(d, move->reason);
    }
    d->format->item_end(d->out);
  }
  d->format->list_end(d->out);
}

/* --- where, and at what cost --- */

static void say_value(struct pawl_document *d, const json_t *value) {
  if (json_is_string(value)) {
    pawl_document_code(d, json_string_value(value));
  } else if (json_is_integer(value)) {
    pawl_document_printf(d, "%lld", (long long)json_integer_value(value));
  } else if (json_is_real(value)) {
    pawl_document_printf(d, "%.6g", json_real_value(value));
  } else if (json_is_boolean(value)) {
    pawl_document_printf(d, json_is_true(value) ? "yes" : "no");
  } else {
    pawl_document_code(d, NULL);
  }
}

/* One item a value; the members of an object inside go under their own names behind a dot. */
static void say_object(struct pawl_document *d, const char *prefix, const json_t *object) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    struct pawl_text name PAWL_CLEANUP(pawl_text_clear) = {0};
    pawl_text_printf(&name, "%s%s", prefix, key);
    if (json_is_object(value) && !*prefix) {
      pawl_text_add(&name, ".");
      say_object(d, pawl_text_string(&name), value);
    } else if (!json_is_object(value) && !json_is_array(value) && !json_is_null(value)) {
      d->format->item_begin(d->out);
      pawl_document_code(d, pawl_text_string(&name));
      pawl_document_printf(d, ": ");
      say_value(d, value);
      d->format->item_end(d->out);
    }
  }
}

static const struct pawl_result *first_with_environment(const struct pawl_results *results) {
  for (size_t i = 0; results && i < results->count; i++)
    if (json_object_size(results->items[i].environment) > 0) return &results->items[i];
  return NULL;
}

struct share {
  const char *what;
  double seconds;
};

/* "BEGIN what 1.0 s, what 2.0 s" of those that took time worth telling. */
static void say_shares(struct pawl_document *d, const char *begin, const struct share *shares, size_t count) {
  const char *between = begin;
  for (size_t i = 0; i < count; i++) {
    char text[PAWL_FIGURE];
    if (!(shares[i].seconds >= 0.05)) continue;
    pawl_document_printf(d, "%s %s %s", between, shares[i].what, pawl_figure_seconds(shares[i].seconds, text));
    between = ",";
  }
}

/* Where the time went: the phases, then what they spent it on. The phases of one run follow each other; when they take
   longer than the run, they are those of parts that ran at once. */
static void say_phases(struct pawl_document *d, const struct pawl_run_phases *p, double seconds) {
  const bool at_once = p->build + p->check + p->bench + p->judge > seconds;
  const struct pawl_time_spent *s = &p->spent;
  const struct share phases[] = {
      {"building", p->build}, {"checks", p->check}, {"timing", p->bench}, {"judging in pairs", p->judge}};
  const struct share spent[] = {{"starting processes", s->start}, {"drawing inputs", s->inputs},
                                {"expected values", s->expected}, {"calls", s->calls},
                                {"hashing outputs", s->hashing},  {"comparing outputs", s->compare}};
  say_shares(d, at_once ? "; all parts together:" : ":", phases, sizeof phases / sizeof *phases);
  say_shares(d, ". Within these phases", spent, sizeof spent / sizeof *spent);
}

static void say_cost(struct pawl_document *d, const struct pawl_run_report *report) {
  char text[PAWL_FIGURE];
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "This run took %s", pawl_figure_seconds(report->seconds, text));
  if (isfinite(report->cost_usd) && report->seconds > 0)
    pawl_document_printf(d, " and cost %.4f USD at %.2f USD an hour", report->cost_usd,
                         report->cost_usd / report->seconds * 3600);
  if (report->phases) say_phases(d, report->phases, report->seconds);
  pawl_document_printf(d, ".");
  d->format->paragraph_end(d->out);
}

void pawl_section_environment(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_result *const result = first_with_environment(report->results);
  if (result) {
    d->format->fold_begin(d->out, "Environment");
    d->format->list_begin(d->out);
    say_object(d, "", result->environment);
    say_object(d, "", result->gpu_state);
    d->format->list_end(d->out);
    d->format->fold_end(d->out);
  }
  if (isfinite(report->seconds)) say_cost(d, report);
}
