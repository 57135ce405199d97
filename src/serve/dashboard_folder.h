/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard as a folder of static files, which opens from disk and from any web server. */
#ifndef PAWL_SERVE_DASHBOARD_FOLDER_H
#define PAWL_SERVE_DASHBOARD_FOLDER_H

#include "report/report.h"
#include "serve/dashboard_api.h"

/* What the folder shows. A report makes it small: it goes with a run, and is kept and sent. */
struct pawl_dashboard_contents {
  const struct pawl_report_page *report;      /* the first view; NULL: the history is */
  const struct pawl_dashboard_choice *choice; /* with these series; NULL: all */
  struct pawl_store *store;                   /* NULL: there is no history */
};

/* Makes the folder, and writes the page, the report, the documents of the series and the machines'
   into it. Of a folder that is there go the documents of an earlier page; all other files stay.
   Details are there of the newest points and of those after a change. `home`: pawl_home(). */
pawl_status pawl_dashboard_write(const struct pawl_dashboard_contents *contents, const char *folder,
                                 const char *home, struct pawl_error *err);

#endif
