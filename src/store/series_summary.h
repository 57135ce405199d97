/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that need all points of a series: their number, the best, and the changes of the level. The
 * store keeps them until the series gets another point, so only the first caller waits. */
#pragma once

#include "stats/changepoint.h"
#include "store/store.h"

struct pawl_series_change {
  struct pawl_level_change change; /* its index is unknown (0) */
  /* ids of the first point after the change and the last before */
  int64_t point, previous;
};

struct pawl_series_summary {
  int64_t points; /* with a value and without */
  double best;    /* NaN: no value */
  struct pawl_series_noise noise;
  struct pawl_series_change *changes; /* in the order of time */
  size_t change_count;
};

/* All points of a branch. */
struct pawl_branch_figures {
  const struct pawl_figure *items;
  size_t count;
};

/* Reads the summary of all points of a branch (NULL: of every branch). `series` comes from
 * pawl_store_series(). The changes live in the arena. If the store keeps no answer, this takes some
 * milliseconds for a few thousand points. A caller that has the figures passes them, else NULL. */
pawl_status pawl_series_summary_read(struct pawl_store *store, const struct pawl_series *series,
                                     const char *branch, const struct pawl_branch_figures *figures,
                                     struct pawl_arena *arena, struct pawl_series_summary *out,
                                     struct pawl_error *err);
