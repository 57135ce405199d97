/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/document.h"
#include "report/figures.h"

void pawl_section_baseline(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->move_count == 0) return;
  d->format->heading(d->out, "Baseline moved");
  size_t shown = 0;
  d->format->list_begin(d->out);
  for (size_t i = 0; i < report->move_count; i++) {
    const struct pawl_baseline_move *move = &report->moves[i];
    char text[PAWL_FIGURE];
    if (!pawl_document_takes(d, &shown)) continue;
    d->format->item_begin(d->out);
    pawl_document_code(d, move->kernel_name);
    pawl_document_printf(d, " on ");
    pawl_document_code(d, move->case_name);
    pawl_document_printf(d, ": ");
    if (!isnan(move->from_ms))
      pawl_document_printf(d, "%s \xe2\x86\x92 ", pawl_figure_time(move->from_ms, text));
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
  pawl_document_more(d, shown, "perf/baseline.json");
}
