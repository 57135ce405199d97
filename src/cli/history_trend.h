/* SPDX-License-Identifier: Apache-2.0 */
/* What `pawl history` shows: the series of the history, and how each developed. */
#ifndef PAWL_CLI_HISTORY_TREND_H
#define PAWL_CLI_HISTORY_TREND_H

#include "cli/command.h"
#include "store/trend.h"

struct pawl_history_view {
  struct pawl_series_choice choice;
  const char *branch; /* NULL: any */
  int newest;         /* points of a series that are read */
  bool changes;       /* the changes in place of the newest points */
};

/* Prints a line for each series; of a kernel that is named the newest points too. With --json one
   document, docs/schema/trend.schema.json. PAWL_NO_INPUT: the history has no such series. */
pawl_status pawl_history_show(struct pawl_cli *cli, struct pawl_store *store,
                              const struct pawl_history_view *view, struct pawl_error *err);

#endif
