/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two sides of the history over all series, for `pawl history compare`. */
#pragma once

#include "cli/command.h"
#include "store/comparison.h"

/* The operands. */
struct pawl_history_sides {
  const char *a, *b;  /* names, see pawl_comparison_find() */
  const char *folder; /* git's folder */
  const char *path;   /* FILE.csv, FILE.json or "-"; NULL: a table on standard output */
  struct pawl_series_choice choice;
};

pawl_status pawl_history_compare(struct pawl_cli *cli, struct pawl_store *store,
                                 const struct pawl_history_sides *sides, struct pawl_error *err);
