/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a series for people: its summary and its points in the order of commits. The command line,
 * the dashboard and the written page show this. */
#pragma once

#include "store/series_summary.h"

struct pawl_trend_choice {
  const char *branch; /* the line; NULL: pawl_store_line() */
  int64_t from, to;   /* bounds of the points' places in seconds, both included; 0: no bound */
  size_t newest;      /* the number of newest points; 0: all */
  size_t limit;       /* for a picture, about this number of points; 0: all */
  bool others;        /* also the points of other branches */
};

struct pawl_trend {
  const struct pawl_series *series;
  struct pawl_series_summary summary; /* facts of the whole line, whatever the choice is */
  struct pawl_point *points;          /* in order */
  size_t count;
};

/* Everything lives in the arena, except for the borrowed `series`. */
pawl_status pawl_trend_read(struct pawl_store *store, const struct pawl_series *series,
                            const struct pawl_trend_choice *choice, struct pawl_arena *arena,
                            struct pawl_trend *out, struct pawl_error *err);

/* Chooses the figures for a picture of about `limit` points, and sets keep[i] for these. The first
 * and the last figure stay. Every part of the picture keeps its least value, its largest value and
 * its newest failure. */
void pawl_trend_thin(const struct pawl_figure *figures, size_t count, size_t limit, bool *keep);
