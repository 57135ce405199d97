/* SPDX-License-Identifier: Apache-2.0 */
/* A series with what can be said of it: its points, its best value, its changes and the commits
 * that caused them. */
#ifndef PAWL_STORE_TREND_H
#define PAWL_STORE_TREND_H

#include "stats/changepoint.h"
#include "store/store.h"

struct pawl_trend_change {
  struct pawl_level_change change;
  const struct pawl_point
      *point; /* the first after the change: its commit caused it, if every commit is measured */
  const struct pawl_point *previous; /* the last before it */
  double loss_pct;                   /* see pawl_trend_loss() */
};

struct pawl_trend {
  const struct pawl_series *series;
  struct pawl_point *points; /* in the order of time */
  size_t count;
  double
      *values; /* above 0, of the points of committed trees; where these have none, of the others */
  size_t value_count;
  bool uncommitted; /* no value of a committed tree is there */
  size_t *places;   /* of the point of each value */
  double best;      /* of all points of the branch, not of the chosen ones alone; NaN: nothing was
                       measured */
  struct pawl_trend_change *changes; /* set by pawl_trend_find_changes() */
  size_t change_count;
  struct pawl_series_noise noise;
};

/* Everything lives in the arena; `series` is borrowed. */
pawl_status pawl_trend_read(struct pawl_store *store, const struct pawl_series *series,
                            const struct pawl_point_choice *choice, struct pawl_arena *arena,
                            struct pawl_trend *out, struct pawl_error *err);

/* Takes some milliseconds of a few thousand values: only where somebody looks. */
void pawl_trend_find_changes(struct pawl_trend *trend, struct pawl_arena *arena);

/* Which figures a picture of about `limit` points needs: keep[i] for each. Every part of the
   picture keeps its least and its largest value and the newest failure; the first and the last stay
   too. */
void pawl_trend_thin(const struct pawl_figure *figures, size_t count, size_t limit, bool *keep);

/* The point that speaks for the present: the newest of a committed tree; where there is none, the
   newest. NULL: no points. What somebody tried and discarded is the past, but not the present. */
const struct pawl_point *pawl_trend_newest(const struct pawl_trend *trend);

/* How much worse `after` is than `before`, percent; negative is better. */
double pawl_trend_loss(const struct pawl_series *series, double before, double after);

#endif
