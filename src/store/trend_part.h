/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a part of a trend, thinned for a picture, so a request need not read the whole trend. */
#pragma once

#include "store/trend.h"

struct pawl_trend_part {
  /* the points of the picture and those beside the changes of the whole series; no values */
  struct pawl_trend trend;
  bool *keep;     /* for each point, whether the picture needs it */
  int64_t stored; /* number of the series' points on the branch */
};

/* Reads about `limit` points of `choice`, whose `newest` has no effect. Best, noise and changes are
 * of the whole series on the branch. Everything lives in the arena, except for the borrowed
 * `series`. */
pawl_status pawl_trend_read_part(struct pawl_store *store, const struct pawl_series *series,
                                 const struct pawl_point_choice *choice, size_t limit,
                                 struct pawl_arena *arena, struct pawl_trend_part *out,
                                 struct pawl_error *err);
