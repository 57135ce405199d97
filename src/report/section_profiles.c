/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why kernels became slower or faster. The first lines of the report have the answer, and
   this section has all that the counters show. */
#include <string.h>

#include "base/count.h"

#include <math.h>

#include "report/document.h"
#include "report/line_change.h"

#define LONGEST 500 /* A longer line is cut, because it would hide the rest of the report. */

static void say_line(struct pawl_document *d, const char *outside) {
  char shown[LONGEST + 4];
  const size_t length = strlen(outside);
  memcpy(shown, outside, length < LONGEST ? length : LONGEST);
  strcpy(shown + (length < LONGEST ? length : LONGEST), length > LONGEST ? "..." : "");
  pawl_document_prose(d, shown);
}

static void section_profiles_say_row(struct pawl_document *d,
                                     const struct pawl_report_profile *row) {
  pawl_document_code(d, row->kernel_name);
  pawl_document_printf(d, " on ");
  pawl_document_code(d, row->case_name);
}

/* Names the source lines that the change comes from. */
static void say_lines(struct pawl_document *d, const struct pawl_report_profile *row) {
  for (size_t i = 0; i < pawl_line_named(row); i++) {
    const struct pawl_report_line *line = &row->lines[i];
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text place = {0}, change = {0};
    pawl_line_place(line, &place);
    pawl_line_change(row, line, &change);
    d->format->item_begin(d->out);
    pawl_document_code(d, pawl_text_string(&place));
    if (line->source && *line->source) {
      pawl_document_printf(d, " ");
      pawl_document_code(d, line->source);
    }
    pawl_document_printf(d, ": %s", pawl_text_string(&change));
    if (line->what) pawl_document_printf(d, ": ");
    if (line->what) say_line(d, line->what);
    pawl_document_printf(d, ".");
    d->format->item_end(d->out);
  }
}

static void say_why(struct pawl_document *d, const struct pawl_report_profile *row) {
  d->format->item_begin(d->out);
  d->format->strong(d->out, "Why");
  pawl_document_printf(d, ", ");
  section_profiles_say_row(d, row);
  pawl_document_printf(d, ": ");
  if (row->change)
    say_line(d, row->change);
  else
    pawl_document_printf(d, "unknown");
  pawl_document_printf(d, ".");
  if (row->limit) {
    pawl_document_printf(d, " The limit is now ");
    say_line(d, row->limit);
    pawl_document_printf(d, ".");
  }
  if (row->remedy) {
    pawl_document_printf(d, " Try: ");
    say_line(d, row->remedy);
    pawl_document_printf(d, ".");
  }
  d->format->item_end(d->out);
  say_lines(d, row);
}

/* Writes a reason once if several rows share it. */
static void say_missing(struct pawl_document *d, const struct pawl_run_report *report) {
  const char *said = NULL;
  for (size_t i = 0; i < report->profile_count; i++) {
    const char *missing = report->profiles[i].missing;
    if (!missing || (said && !strcmp(said, missing))) continue;
    d->format->item_begin(d->out);
    pawl_document_printf(d, "Without counters: ");
    say_line(d, missing);
    pawl_document_printf(d, ".");
    d->format->item_end(d->out);
    said = missing;
  }
}

void pawl_section_why(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->profile_count == 0) return;
  d->format->list_begin(d->out);
  for (size_t i = 0; i < report->profile_count; i++)
    if (report->profiles[i].change || report->profiles[i].limit) say_why(d, &report->profiles[i]);
  say_missing(d, report);
  d->format->list_end(d->out);
}

static const struct pawl_column line_columns[] = {
    {"line", PAWL_COLUMN_TEXT},   {"source", PAWL_COLUMN_TEXT}, {"heat", PAWL_COLUMN_TEXT},
    {"base", PAWL_COLUMN_NUMBER}, {"now", PAWL_COLUMN_NUMBER},  {"what", PAWL_COLUMN_PROSE}};
#define HEAT 8 /* blocks of a line that adds all of the change */

/* Writes a bar for a line that adds to the change, as long as its part. */
static void heat_cell(struct pawl_document *d, double share) {
  const int blocks = (int)lround(fmin(fmax(share, 0), 1) * HEAT);
  d->format->cell_begin(d->out, &line_columns[2]);
  for (int i = 0; i < blocks; i++) pawl_document_printf(d, "\xe2\x96\x88");
  pawl_document_printf(d, "%s%.0f %%", blocks ? " " : "", share * 100);
  d->format->cell_end(d->out);
}

static void line_row(struct pawl_document *d, const struct pawl_report_profile *row,
                     const struct pawl_report_line *line) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text place = {0};
  char time[PAWL_FIGURE];
  const double share = pawl_line_share(row, line);
  const bool slower = row->candidate_s > row->base_s;
  pawl_line_place(line, &place);
  d->format->row_begin(d->out, share < 0.5 ? PAWL_COLOR_PLAIN
                               : slower    ? PAWL_COLOR_BAD
                                           : PAWL_COLOR_GOOD);
  pawl_document_code_cell(d, &line_columns[0], pawl_text_string(&place));
  pawl_document_code_cell(d, &line_columns[1], line->source ? line->source : "");
  heat_cell(d, share);
  pawl_document_cell(d, &line_columns[3], pawl_figure_time(line->base_s * 1e3, time));
  pawl_document_cell(d, &line_columns[4], pawl_figure_time(line->candidate_s * 1e3, time));
  d->format->cell_begin(d->out, &line_columns[5]);
  if (line->what) pawl_document_prose(d, line->what);
  d->format->cell_end(d->out);
  d->format->row_end(d->out);
}

/* Shows the time of each source line, or says why it is unknown. */
static void say_all_lines(struct pawl_document *d, const struct pawl_report_profile *row) {
  if (!row->line_count && !row->no_lines) return;
  d->format->paragraph_begin(d->out);
  section_profiles_say_row(d, row);
  if (row->no_lines) {
    pawl_document_printf(d, ": no time of source lines: ");
    say_line(d, row->no_lines);
    pawl_document_printf(d, ".");
  } else {
    pawl_document_printf(d, ", source lines by samples of the program counter:");
  }
  d->format->paragraph_end(d->out);
  if (!row->line_count) return;
  d->format->table_begin(d->out, line_columns, PAWL_COUNT(line_columns));
  for (size_t i = 0; i < row->line_count; i++) line_row(d, row, &row->lines[i]);
  d->format->table_end(d->out);
}

void pawl_section_profiles(struct pawl_document *d, const struct pawl_run_report *report) {
  size_t texts = 0;
  for (size_t i = 0; i < report->profile_count; i++) texts += report->profiles[i].text != NULL;
  for (size_t i = 0; i < report->profile_count; i++) say_all_lines(d, &report->profiles[i]);
  if (texts == 0) return;
  d->format->fold_begin(d->out, "Profiles");
  for (size_t i = 0; i < report->profile_count; i++) {
    const struct pawl_report_profile *row = &report->profiles[i];
    if (!row->text) continue;
    d->format->paragraph_begin(d->out);
    section_profiles_say_row(d, row);
    if (row->folder) {
      pawl_document_printf(d, ". Its files are in ");
      pawl_document_code(d, row->folder);
      pawl_document_printf(d, " of the run's folder");
    }
    pawl_document_printf(d, ":");
    d->format->paragraph_end(d->out);
    d->format->block(d->out, row->text);
  }
  d->format->fold_end(d->out);
}
