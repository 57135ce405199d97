/* SPDX-License-Identifier: Apache-2.0 */
/* The resources that a GPU's machine code needs, and how they changed. They are known without a GPU
 * and are free of noise. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "report/document.h"

static const struct pawl_column columns[] = {
    {"kernel", PAWL_COLUMN_TEXT},
    {"compiled for", PAWL_COLUMN_TEXT},
    {"registers", PAWL_COLUMN_NUMBER},
    {"spills, bytes", PAWL_COLUMN_NUMBER},
    {"other local memory, bytes", PAWL_COLUMN_NUMBER},
    {"stack, bytes", PAWL_COLUMN_NUMBER},
    {"static shared memory, bytes", PAWL_COLUMN_NUMBER},
    {"code, bytes", PAWL_COLUMN_NUMBER},
    {"occupancy, at most", PAWL_COLUMN_NUMBER},
};
#define COLUMNS PAWL_COUNT(columns)
#define CELL 64

/* Lists every kernel once, because all its cases run the same code. */
static bool is_first_of_kernel(const struct pawl_ratchet_report *ratchet, size_t row) {
  if (!ratchet->rows[row].code_now) return false;
  const char *name = ratchet->rows[row].comparison.kernel_name;
  for (size_t i = 0; i < row; i++) {
    const char *other = ratchet->rows[i].comparison.kernel_name;
    if (ratchet->rows[i].code_now && (name && other ? !strcmp(name, other) : name == other))
      return false;
  }
  return true;
}

static const char *change(long long before, long long now, char out[CELL]) {
  if (now < 0)
    snprintf(out, CELL, "unknown");
  else if (before < 0 || before == now)
    snprintf(out, CELL, "%lld", now);
  else
    snprintf(out, CELL, "%lld \xe2\x86\x92 %lld", before, now);
  return out;
}

static const char *occupancy(double before, double now, char out[CELL]) {
  if (isnan(now))
    snprintf(out, CELL, "unknown");
  else if (isnan(before) || fabs(before - now) < 0.5)
    snprintf(out, CELL, "%.0f %%", now);
  else
    snprintf(out, CELL, "%.0f \xe2\x86\x92 %.0f %%", before, now);
  return out;
}

static void section_code_cell(struct pawl_document *d, size_t column, bool loud,
                              const char *words) {
  d->format->cell_begin(d->out, &columns[column]);
  (loud ? d->format->strong : d->format->words)(d->out, words);
  d->format->cell_end(d->out);
}

static void code_row(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  static const struct pawl_code unknown = {NULL, NULL, -1, -1, -1, -1, -1, -1, NAN};
  const struct pawl_code *now = row->code_now,
                         *before = row->code_before ? row->code_before : &unknown;
  const bool known = row->code_before != NULL;
  char text[CELL];
  d->format->row_begin(
      d->out, pawl_code_is_worse(row->code_before, now) ? PAWL_COLOR_BAD : PAWL_COLOR_PLAIN);
  pawl_document_code_cell(d, &columns[0], row->comparison.kernel_name);
  pawl_document_code_cell(d, &columns[1], now->arch);
  section_code_cell(d, 2, known && now->registers > before->registers,
                    change(before->registers, now->registers, text));
  section_code_cell(d, 3, known && pawl_code_spills_more(before, now),
                    change(before->spill_bytes, now->spill_bytes, text));
  section_code_cell(d, 4, false, change(before->local_bytes, now->local_bytes, text));
  section_code_cell(d, 5, false, change(before->stack_bytes, now->stack_bytes, text));
  section_code_cell(d, 6, false, change(before->shared_bytes, now->shared_bytes, text));
  section_code_cell(d, 7, false, change(before->code_bytes, now->code_bytes, text));
  section_code_cell(d, 8, false, occupancy(before->occupancy_pct, now->occupancy_pct, text));
  d->format->row_end(d->out);
}

static void say_worse(struct pawl_document *d, const struct pawl_ratchet_row *row) {
  const struct pawl_code *before = row->code_before, *now = row->code_now;
  char text[CELL];
  d->format->paragraph_begin(d->out);
  d->format->strong(d->out, pawl_code_spills_more(before, now) ? "MORE SPILLS" : "MORE REGISTERS");
  pawl_document_printf(d, ": ");
  pawl_document_code(d, row->comparison.kernel_name);
  if (pawl_code_spills_more(before, now))
    pawl_document_printf(d, " spills %s bytes",
                         change(before->spill_bytes, now->spill_bytes, text));
  if (now->registers > before->registers)
    pawl_document_printf(d, "%s needs %s registers a thread",
                         pawl_code_spills_more(before, now) ? " and" : "",
                         change(before->registers, now->registers, text));
  pawl_document_printf(d, ".");
  d->format->paragraph_end(d->out);
}

/* Shows how the instructions changed, each kernel folded below its main change. */
static void say_changes(struct pawl_document *d, const struct pawl_run_report *report) {
  for (size_t i = 0; i < report->code_change_count; i++) {
    const struct pawl_report_code *change = &report->code_changes[i];
    d->format->paragraph_begin(d->out);
    pawl_document_code(d, change->kernel_name);
    pawl_document_printf(d, " since ");
    char commit[13];
    snprintf(commit, sizeof commit, "%s", change->base ? change->base : "?");
    pawl_document_code(d, commit);
    pawl_document_printf(d, ": ");
    pawl_document_prose(d, change->line      ? change->line
                           : change->missing ? change->missing
                                             : "the instructions are the same");
    pawl_document_printf(d, ".");
    d->format->paragraph_end(d->out);
    if (!change->text || !*change->text) continue;
    d->format->fold_begin(d->out, "Instructions that came and went");
    d->format->block(d->out, change->text);
    d->format->fold_end(d->out);
  }
}

void pawl_section_code(struct pawl_document *d, const struct pawl_run_report *report) {
  const struct pawl_ratchet_report *ratchet = report->ratchet;
  size_t kernels = 0;
  for (size_t i = 0; ratchet && i < ratchet->count; i++) kernels += is_first_of_kernel(ratchet, i);
  if (kernels == 0 && report->code_change_count == 0) return;
  d->format->heading(d->out, "Machine code");
  if (kernels == 0) {
    say_changes(d, report);
    return;
  }
  for (size_t i = 0; i < ratchet->count; i++) {
    if (is_first_of_kernel(ratchet, i) &&
        pawl_code_is_worse(ratchet->rows[i].code_before, ratchet->rows[i].code_now))
      say_worse(d, &ratchet->rows[i]);
  }
  d->format->table_begin(d->out, columns, COLUMNS);
  for (size_t i = 0; i < ratchet->count; i++) {
    if (is_first_of_kernel(ratchet, i)) code_row(d, &ratchet->rows[i]);
  }
  d->format->table_end(d->out);
  say_changes(d, report);
}
