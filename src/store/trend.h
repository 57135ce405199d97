/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a series with its points, its best value, its changes and the commits that caused them. */
#pragma once

#include "stats/changepoint.h"
#include "store/store.h"

struct pawl_trend_change {
  struct pawl_level_change change;
  /* the first point after the change; its commit caused the change if every commit is measured */
  const struct pawl_point *point;
  const struct pawl_point *previous; /* the last point before the change */
  double loss_pct;                   /* see pawl_trend_loss() */
};

struct pawl_trend {
  const struct pawl_series *series;
  struct pawl_point *points; /* in the order of time */
  size_t count;
  /* values above 0: of committed trees, or of the others if committed trees have none */
  double *values;
  size_t value_count;
  bool uncommitted; /* no committed tree has a value */
  size_t *places;   /* the index of each value's point */
  /* the best of all points on the branch, also outside the choice; NaN: no value */
  double best;
  struct pawl_trend_change *changes; /* set by pawl_trend_find_changes() */
  size_t change_count;
  struct pawl_series_noise noise;
};

/* Everything lives in the arena, except for the borrowed `series`. */
pawl_status pawl_trend_read(struct pawl_store *store, const struct pawl_series *series,
                            const struct pawl_point_choice *choice, struct pawl_arena *arena,
                            struct pawl_trend *out, struct pawl_error *err);

/* Finds the changes in some milliseconds for a few thousand values: call it only to show them. */
void pawl_trend_find_changes(struct pawl_trend *trend, struct pawl_arena *arena);

/* Chooses the figures for a picture of about `limit` points, and sets keep[i] for these. The first
 * and the last figure stay. Every part of the picture keeps its least value, its largest value and
 * its newest failure. */
void pawl_trend_thin(const struct pawl_figure *figures, size_t count, size_t limit, bool *keep);

/* Returns the present point: the newest of a committed tree, else the newest. A discarded try does
 * not count. Returns NULL if there are no points. */
const struct pawl_point *pawl_trend_newest(const struct pawl_trend *trend);

/* Returns in percent how much worse `after` is than `before`. A negative loss is better. */
double pawl_trend_loss(const struct pawl_series *series, double before, double after);
