/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/count.h"
#include "report/document.h"
#include "report/figures.h"

static const struct pawl_column roofline_columns[] = {
    {"kernel", PAWL_COLUMN_TEXT},          {"case", PAWL_COLUMN_TEXT},
    {"FLOP/byte", PAWL_COLUMN_NUMBER},     {"bound by", PAWL_COLUMN_TEXT},
    {"of that limit", PAWL_COLUMN_NUMBER}, {"what to try", PAWL_COLUMN_PROSE}};

static void roofline_row(struct pawl_document *d, const struct pawl_result *result) {
  const struct pawl_roofline *r = &result->roofline;
  const struct pawl_column *c = roofline_columns;
  char text[PAWL_FIGURE];
  d->format->row_begin(d->out, PAWL_COLOR_PLAIN);
  pawl_document_code_cell(d, &c[0], result->kernel_name);
  pawl_document_code_cell(d, &c[1], result->config.name);
  pawl_document_cell(d, &c[2], pawl_figure_number(r->arithmetic_intensity, text));
  pawl_document_code_cell(d, &c[3], r->bottleneck);
  pawl_document_cell(d, &c[4], pawl_figure_percent(r->efficiency_pct, text));
  d->format->cell_begin(d->out, &c[5]);
  for (size_t i = 0; i < r->recommendation_count; i++) {
    if (i > 0) pawl_document_printf(d, "; ");
    pawl_document_prose(d, r->recommendations[i]);
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
  d->format->table_begin(d->out, roofline_columns, PAWL_COUNT(roofline_columns));
  size_t shown = 0;
  for (size_t i = 0; i < report->results->count; i++)
    if (has_roofline(&report->results->items[i]) && pawl_document_takes(d, &shown))
      roofline_row(d, &report->results->items[i]);
  d->format->table_end(d->out);
  pawl_document_more(d, shown, "results.json");
  d->format->fold_end(d->out);
}
