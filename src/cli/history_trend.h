/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the series of the history and their trends, for `pawl history`. */
#pragma once

#include "cli/command.h"
#include "store/trend.h"

struct pawl_history_view {
  struct pawl_series_choice choice;
  const char *branch; /* NULL: the default branch */
  int newest;         /* the number of newest points to show of a series; 0: all */
  bool changes;       /* shows the changes, not the newest points */
};

/* Prints a line for each series, and for a named kernel also its newest points. --json prints one
 * document, docs/schema/trend.schema.json. Fails with PAWL_NO_INPUT without such a series. */
pawl_status pawl_history_show(struct pawl_cli *cli, struct pawl_store *store,
                              const struct pawl_history_view *view, struct pawl_error *err);
