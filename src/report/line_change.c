/* SPDX-License-Identifier: Apache-2.0 */
#include "report/line_change.h"

#include <math.h>
#include <stdio.h>

#include "base/clean.h"

/* A smaller part of the change is not worth a line of the first page. */
#define NAMED 0.05
#define MILLI 1e3

double pawl_line_share(const struct pawl_report_profile *row, const struct pawl_report_line *line) {
  return (line->candidate_s - line->base_s) / (row->candidate_s - row->base_s);
}

size_t pawl_line_named(const struct pawl_report_profile *row) {
  size_t count = 0;
  while (count < row->line_count && count < PAWL_REPORT_LINES &&
         pawl_line_share(row, &row->lines[count]) >= NAMED)
    count++;
  return count;
}

void pawl_line_place(const struct pawl_report_line *line, struct pawl_text *out) {
  pawl_clean_text(line->file ? line->file : "unknown", false, out);
  if (line->line) pawl_text_printf(out, ":%d", line->line);
}

static void signed_time(double seconds, struct pawl_text *out) {
  char text[PAWL_FIGURE];
  pawl_text_printf(out, "%s%s", seconds < 0 ? "-" : "+",
                   pawl_figure_time(fabs(seconds) * MILLI, text));
}

void pawl_line_change(const struct pawl_report_profile *row, const struct pawl_report_line *line,
                      struct pawl_text *out) {
  const double change = line->candidate_s - line->base_s, whole = row->candidate_s - row->base_s;
  signed_time(change, out);
  if (pawl_line_share(row, line) > 1) {
    pawl_text_add(out, ", other lines ");
    signed_time(whole - change, out);
    pawl_text_add(out, ", together ");
  } else {
    pawl_text_add(out, " of ");
  }
  signed_time(whole, out);
}

void pawl_line_list(const struct pawl_report_profile *row, const char *indent,
                    struct pawl_text *out) {
  for (size_t i = 0; i < pawl_line_named(row); i++) {
    const struct pawl_report_line *line = &row->lines[i];
    pawl_text_add(out, indent);
    pawl_line_place(line, out);
    if (line->source && *line->source) {
      pawl_text_add(out, " `");
      pawl_clean_text(line->source, false, out);
      pawl_text_add(out, "`");
    }
    pawl_text_add(out, ": ");
    pawl_line_change(row, line, out);
    if (line->what) pawl_text_add(out, ": ");
    if (line->what) pawl_clean_text(line->what, false, out);
    pawl_text_add(out, "\n");
  }
}
