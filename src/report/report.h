/* SPDX-License-Identifier: Apache-2.0 */
/* What people read: Markdown, HTML, pictures; all from the same record of a run. */
#ifndef PAWL_REPORT_REPORT_H
#define PAWL_REPORT_REPORT_H

#include "record/run_report.h"

/* The verdict in one line first ("REGRESSION: 1 of 4 ..."), then numbers in a table, detail folded. All strings from
   outside are escaped. `picture`: the file name of the picture beside the text; NULL: there is none. */
pawl_status pawl_report_markdown(const struct pawl_run_report *report, const char *picture, struct pawl_text *out,
                                 struct pawl_error *err);
/* How text for a person's terminal looks. */
struct pawl_terminal_look {
  bool colour;
  int columns;       /* of the terminal; 0: it is none, and lines may be long */
  bool verdict_only; /* the verdict's line and nothing else */
};
/* The verdict in one line, one aligned line a row, what failed, notes. Without Markdown; strings from outside hold no
   control characters. */
void pawl_report_terminal(const struct pawl_run_report *report, const struct pawl_terminal_look *look,
                          struct pawl_text *out);
/* The report as a view of the dashboard's page. */
struct pawl_report_page {
  struct pawl_text json;        /* by docs/schema/report.schema.json */
  struct pawl_text light, dark; /* the picture as SVG; empty: there is nothing to draw */
};
/* `page` is empty. PAWL_IO: cairo cannot draw. */
pawl_status pawl_report_page(const struct pawl_run_report *report, struct pawl_report_page *page,
                             struct pawl_error *err);
void pawl_report_page_clear(struct pawl_report_page *page); /* for PAWL_CLEANUP too */
/* What the picture shows, for those who do not see it. */
#define PAWL_REPORT_PICTURE_WORDS "The changes, the samples, the moves of the baseline and the roofline"
/* Whether there is anything to draw: a right kernel that was timed, or a baseline that moved twice. */
bool pawl_report_has_picture(const struct pawl_run_report *report);
/* Changes, distributions, moves of the baseline and roofline, by cairo: an SVG where the path ends with .svg, else a
   PNG. PAWL_BAD_DATA: there is nothing to draw. */
pawl_status pawl_report_picture(const struct pawl_run_report *report, const char *path, bool dark,
                                struct pawl_error *err);

/* What a run leaves in its folder: results.json, verdict.json, report.md and, when it is wanted and there is anything
   to draw, roofline.png. */
pawl_status pawl_report_folder(const struct pawl_run_report *report, const char *folder, bool picture,
                               struct pawl_error *err);

#endif
