/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the dashboard as a folder of static files, which opens from disk and from any web
 * server. */
#pragma once

#include "report/report.h"
#include "serve/dashboard_api.h"
#include "serve/overview.h"

/* A report keeps the folder small, because people send it and keep it with a run. */
struct pawl_dashboard_contents {
  const struct pawl_report_page *report;      /* the first view; NULL: the history */
  const struct pawl_dashboard_choice *choice; /* the series; NULL: all */
  struct pawl_store *store;                   /* NULL: there is no history */
  struct pawl_remote_links links;             /* the pages of commits */
};

/* Writes the page, the report, and the documents of the series and the machines. In an existing
 * folder it replaces the documents of an earlier page and keeps all other files. The newest points
 * and the points after a change have details. `home` comes from pawl_home(). */
pawl_status pawl_dashboard_write(const struct pawl_dashboard_contents *contents, const char *folder,
                                 const char *home, struct pawl_error *err);
