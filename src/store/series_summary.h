/* SPDX-License-Identifier: Apache-2.0 */
/* What takes all points of a series to know: how many there are, the best, and where the level
   changes. The store keeps the answer until the series gets another point, so that only the first
   who asks waits for it. */
#ifndef PAWL_STORE_SERIES_SUMMARY_H
#define PAWL_STORE_SERIES_SUMMARY_H

#include "stats/changepoint.h"
#include "store/store.h"

struct pawl_series_change {
  struct pawl_level_change change; /* its index is unknown: 0 */
  int64_t point, previous; /* ids: the first point after the change, and the last before it */
};

struct pawl_series_summary {
  int64_t points; /* with a value and without */
  double best;    /* NaN: nothing was measured */
  struct pawl_series_noise noise;
  struct pawl_series_change *changes; /* in the order of time */
  size_t change_count;
};

/* The figures of all points of the branch. */
struct pawl_branch_figures {
  const struct pawl_figure *items;
  size_t count;
};

/* Of all points of a branch (NULL: of any). `series` comes from pawl_store_series(); the changes
   live in the arena. Takes some milliseconds of a few thousand points where the answer is not kept.
   A caller that has read the figures gives them (else NULL), so that nobody reads them twice. */
pawl_status pawl_series_summary_read(struct pawl_store *store, const struct pawl_series *series,
                                     const char *branch, const struct pawl_branch_figures *figures,
                                     struct pawl_arena *arena, struct pawl_series_summary *out,
                                     struct pawl_error *err);

#endif
