/* SPDX-License-Identifier: Apache-2.0 */
/* Writes classical statistics of the samples behind the rows, folded, for readers who look for
   their names. */
#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "report/document.h"
#include "report/figures.h"

static const struct pawl_column columns[] = {
    {"kernel", PAWL_COLUMN_TEXT},           {"case", PAWL_COLUMN_TEXT},
    {"95 % CIs", PAWL_COLUMN_TEXT},         {"Cliff's delta", PAWL_COLUMN_NUMBER},
    {"Mann-Whitney p", PAWL_COLUMN_NUMBER}, {"samples, base and now", PAWL_COLUMN_NUMBER},
};
#define COLUMNS PAWL_COUNT(columns)

static const char *section_samples_ci_words(const struct pawl_comparison *item) {
  if (!item->ci_known) return "unknown";
  const bool processes = item->baseline_ci_of == PAWL_INTERVAL_PROCESSES &&
                         item->current_ci_of == PAWL_INTERVAL_PROCESSES;
  if (processes) return item->ci_overlap ? "overlap, by process" : "apart, by process";
  return item->ci_overlap ? "overlap" : "apart";
}

static void samples_row(struct pawl_document *d, const struct pawl_comparison *item) {
  char text[PAWL_FIGURE], effect[2 * PAWL_FIGURE];
  d->format->row_begin(d->out, PAWL_COLOR_PLAIN);
  pawl_document_code_cell(d, &columns[0], item->kernel_name);
  pawl_document_code_cell(d, &columns[1], item->config.name);
  pawl_document_cell(d, &columns[2], section_samples_ci_words(item));
  snprintf(effect, sizeof effect, "%s %s", pawl_figure_delta(item->cliffs_delta, text),
           item->cliffs_label);
  pawl_document_cell(d, &columns[3], effect);
  pawl_document_cell(d, &columns[4], pawl_figure_p(item->mann_whitney_p, text));
  snprintf(text, sizeof text, "%zu, %zu", item->baseline_count, item->current_count);
  pawl_document_cell(d, &columns[5], text);
  d->format->row_end(d->out);
}

void pawl_section_samples(struct pawl_document *d, const struct pawl_run_report *report) {
  size_t wanted = 0;
  for (size_t i = 0; report->ratchet && i < report->ratchet->count; i++)
    if (!isnan(report->ratchet->rows[i].comparison.cliffs_delta)) wanted++;
  if (wanted == 0) return;
  d->format->fold_begin(d->out, "Samples (not replicates)");
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d,
                       "Samples of one process are not independent, so these figures also show "
                       "differences between equal kernels. They do not decide a paired verdict.");
  d->format->paragraph_end(d->out);
  size_t shown = 0;
  d->format->table_begin(d->out, columns, COLUMNS);
  for (size_t i = 0; i < report->ratchet->count; i++)
    if (!isnan(report->ratchet->rows[i].comparison.cliffs_delta) && pawl_document_takes(d, &shown))
      samples_row(d, &report->ratchet->rows[i].comparison);
  d->format->table_end(d->out);
  pawl_document_more(d, shown, "verdict.json");
  d->format->fold_end(d->out);
}
