/* SPDX-License-Identifier: Apache-2.0 */
/* Reports for people, as Markdown and on a terminal, and for the dashboard's page. All come from
   the same record of a run. */
#pragma once

#include "record/run_report.h"

/* Writes the verdict in one line first ("REGRESSION: 1 of 4 ..."), then a table of numbers, then
   folded details. Escapes all strings from outside. `picture` is the name of the picture file
   beside the text, or NULL if there is none. */
pawl_status pawl_report_markdown(const struct pawl_run_report *report, const char *picture,
                                 struct pawl_text *out, struct pawl_error *err);
/* The look of text on a terminal. */
struct pawl_terminal_style {
  bool colour;
  /* the width of the terminal; 0: there is no terminal, and lines may be long */
  int columns;
  bool verdict_only; /* only the line of the verdict */
};
/* Writes the verdict in one line, an aligned line for each row, the failures and the notes, without
   Markdown. Removes control characters from strings from outside. */
void pawl_report_terminal(const struct pawl_run_report *report,
                          const struct pawl_terminal_style *look, struct pawl_text *out);
/* The report as a view of the dashboard's page. */
struct pawl_report_page {
  struct pawl_text json; /* by docs/schema/report.schema.json */
  /* the picture as SVG, for each theme; empty: the report has no picture */
  struct pawl_text light, dark;
};
/* Fills page->json, which is empty. The caller has drawn page->light and page->dark
 * (pawl_picture_draw). */
void pawl_report_page(const struct pawl_run_report *report, struct pawl_report_page *page);
void pawl_report_page_clear(struct pawl_report_page *page); /* for PAWL_CLEANUP too */
/* The text in place of a picture that a reader cannot see. */
#define PAWL_REPORT_PICTURE_WORDS \
  "The changes, the samples, the moves of the baseline and the roofline"

/* Removes the files of an earlier run from the folder. They must not pass for the files of a run
   that fails. */
pawl_status pawl_report_remove(const char *folder, struct pawl_error *err);
/* Writes the files of a run into its folder: results.json, verdict.json, report.md and
   roofline.png. `png` holds the picture (pawl_picture_draw). If it is empty or NULL, the folder has
   no picture, and an earlier one is removed. */
pawl_status pawl_report_folder(const struct pawl_run_report *report, const char *folder,
                               const struct pawl_text *png, struct pawl_error *err);
