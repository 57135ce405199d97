/* SPDX-License-Identifier: Apache-2.0 */
/* Writes every measurement, and why the other rows have no time. */
#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "gate/result_interval.h"
#include "report/document.h"
#include "report/figures.h"
#include "report/warning_group.h"
#include "stats/describe.h"

static const struct pawl_column measured_columns[] = {
    {"kernel", PAWL_COLUMN_TEXT},      {"case", PAWL_COLUMN_TEXT},
    {"median", PAWL_COLUMN_NUMBER},    {"95 % CI", PAWL_COLUMN_NUMBER},
    {"CV", PAWL_COLUMN_NUMBER},        {"P95", PAWL_COLUMN_NUMBER},
    {"P99", PAWL_COLUMN_NUMBER},       {"throughput", PAWL_COLUMN_NUMBER},
    {"bandwidth", PAWL_COLUMN_NUMBER}, {"samples", PAWL_COLUMN_NUMBER},
};

/* Computes the figures that a file leaves out, if it has samples. */
static struct pawl_performance completed(const struct pawl_performance *given) {
  struct pawl_performance all = *given;
  struct pawl_summary summary;
  const bool complete = !isnan(given->median_ms) && !isnan(given->cv) && !isnan(given->p95_ms) &&
                        !isnan(given->p99_ms);
  if (complete || pawl_summarize(given->samples_ms, given->sample_count, &summary, NULL) != PAWL_OK)
    return all;
  if (isnan(all.median_ms)) all.median_ms = summary.median;
  if (isnan(all.cv)) all.cv = summary.cv;
  if (isnan(all.p95_ms)) all.p95_ms = summary.p95;
  if (isnan(all.p99_ms)) all.p99_ms = summary.p99;
  return all;
}

static void measured_row(struct pawl_document *d, const struct pawl_result *result) {
  const struct pawl_performance all = completed(&result->performance), *p = &all;
  const struct pawl_column *c = measured_columns;
  char text[PAWL_FIGURE];
  double low, high;
  pawl_result_interval(result, &low, &high);
  d->format->row_begin(d->out, PAWL_COLOR_PLAIN);
  pawl_document_code_cell(d, &c[0], result->kernel_name);
  pawl_document_code_cell(d, &c[1], result->config.name);
  pawl_document_cell(d, &c[2], pawl_figure_time(p->median_ms, text));
  pawl_document_cell(d, &c[3], pawl_figure_interval(p->median_ms, low, high, text));
  pawl_document_cell(d, &c[4], pawl_figure_percent(p->cv * 100, text));
  pawl_document_cell(d, &c[5], pawl_figure_time(p->p95_ms, text));
  pawl_document_cell(d, &c[6], pawl_figure_time(p->p99_ms, text));
  pawl_document_cell(d, &c[7], pawl_figure_rate(p->throughput_gflops, "FLOP/s", text));
  pawl_document_cell(d, &c[8], pawl_figure_rate(p->bandwidth_gb_s, "B/s", text));
  snprintf(text, sizeof text, "%zu", p->sample_count);
  pawl_document_cell(d, &c[9], p->sample_count > 0 ? text : "unknown");
  d->format->row_end(d->out);
}

static const struct pawl_column untimed_columns[] = {{"kernel", PAWL_COLUMN_TEXT},
                                                     {"case", PAWL_COLUMN_TEXT},
                                                     {"outcome", PAWL_COLUMN_TEXT},
                                                     {"reason", PAWL_COLUMN_PROSE}};

static void untimed_table(struct pawl_document *d, const struct pawl_results *results) {
  d->format->heading(d->out, "Without a time");
  size_t shown = 0;
  d->format->table_begin(d->out, untimed_columns, PAWL_COUNT(untimed_columns));
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    if (result->outcome == PAWL_OUTCOME_OK || !pawl_document_takes(d, &shown)) continue;
    d->format->row_begin(
        d->out, result->outcome < PAWL_OUTCOME_UNSUPPORTED ? PAWL_COLOR_BAD : PAWL_COLOR_DIM);
    pawl_document_code_cell(d, &untimed_columns[0], result->kernel_name);
    pawl_document_code_cell(d, &untimed_columns[1], result->config.name);
    pawl_document_cell(d, &untimed_columns[2], pawl_outcome_name(result->outcome));
    pawl_document_code_cell(d, &untimed_columns[3], result->reason);
    d->format->row_end(d->out);
  }
  d->format->table_end(d->out);
  pawl_document_more(d, shown, "results.json");
}

static void warning_list(struct pawl_document *d, const struct pawl_results *results) {
  size_t shown = 0;
  d->format->heading(d->out, "Warnings");
  d->format->list_begin(d->out);
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    for (size_t j = 0; j < result->warning_count; j++) {
      const size_t rows = pawl_warning_rows(results, i, j);
      if (!rows || !pawl_document_takes(d, &shown)) continue;
      d->format->item_begin(d->out);
      pawl_document_code(d, result->kernel_name);
      pawl_document_printf(d, " on ");
      pawl_document_code(d, result->config.name);
      pawl_document_printf(d, ": ");
      pawl_document_prose(d, result->warnings[j]);
      if (rows > 1) pawl_document_printf(d, " (%zu more like it)", rows - 1);
      d->format->item_end(d->out);
    }
  }
  d->format->list_end(d->out);
  pawl_document_more(d, shown, "results.json");
}

/* Writes the rows that an earlier run measured, or nothing if there are none. */
static void kept_list(struct pawl_document *d, const struct pawl_results *results) {
  size_t shown = 0;
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *result = &results->items[i];
    const char *from = json_string_value(json_object_get(result->environment, PAWL_KEPT_FROM));
    const json_t *ratio = json_object_get(result->environment, PAWL_CANARY_RATIO);
    if (!from || !json_is_number(ratio)) continue;
    if (!shown) d->format->list_begin(d->out);
    if (!pawl_document_takes(d, &shown)) continue;
    d->format->item_begin(d->out);
    pawl_document_code(d, result->kernel_name);
    pawl_document_printf(d, " on ");
    pawl_document_code(d, result->config.name);
    pawl_document_printf(d, ": kept from ");
    pawl_document_code(d, from);
    pawl_document_printf(d, " UTC, times %.3f by the canary", json_number_value(ratio));
    d->format->item_end(d->out);
  }
  if (shown) d->format->list_end(d->out);
  pawl_document_more(d, shown, "results.json");
}

void pawl_section_measurements(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_results *results = report->results;
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
  size_t shown = 0;
  d->format->table_begin(d->out, measured_columns, PAWL_COUNT(measured_columns));
  for (size_t i = 0; i < results->count; i++)
    if (results->items[i].outcome == PAWL_OUTCOME_OK && pawl_document_takes(d, &shown))
      measured_row(d, &results->items[i]);
  d->format->table_end(d->out);
  pawl_document_more(d, shown, "results.json");
  kept_list(d, results);
  if (folded) d->format->fold_end(d->out);
}
