/* SPDX-License-Identifier: Apache-2.0 */
/* What people read: Markdown, HTML, pictures; all from the same record of a run. */
#ifndef PAWL_REPORT_REPORT_H
#define PAWL_REPORT_REPORT_H

#include "record/run_report.h"

/* The verdict in one line first ("REGRESSION: 1 of 4 ..."), then numbers in a table, detail folded. All strings from
   outside are escaped. */
pawl_status pawl_report_markdown(const struct pawl_run_report *report, struct pawl_text *out, struct pawl_error *err);
/* A folder with index.html, self-contained, no network. */
pawl_status pawl_report_html(const struct pawl_run_report *report, const char *folder, struct pawl_error *err);
/* Whether there is anything to draw: a right kernel that was timed. */
bool pawl_report_has_picture(const struct pawl_run_report *report);
/* The roofline and the distributions, by cairo. PAWL_BAD_DATA: there is nothing to draw. */
pawl_status pawl_report_picture(const struct pawl_run_report *report, const char *path, struct pawl_error *err);

/* What a run leaves in its folder: results.json, verdict.json, report.md and, when it is wanted and there is anything
   to draw, roofline.png. Adds the Markdown to *markdown. */
pawl_status pawl_report_folder(const struct pawl_run_report *report, const char *folder, bool picture,
                               struct pawl_text *markdown, struct pawl_error *err);

#endif
