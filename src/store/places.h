/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the runs of a commit into one place of the axis. */
#pragma once

#include "store/store.h"

struct pawl_place_runs {
  int64_t place;
  int64_t first, last; /* the ids of its first and its last run with a value */
  int64_t runs;        /* runs with a value */
  double value;        /* the median of these runs */
};

struct pawl_places {
  struct pawl_place_runs *items; /* in order; only places with a value above 0 */
  size_t count;
  bool uncommitted; /* no committed tree has a value, so the places are of uncommitted trees */
};

/* Takes the figures of the line, whose committed trees count. If no committed tree has a value, the
 * others count. */
void pawl_places_of(const struct pawl_figure *figures, size_t count, struct pawl_arena *arena,
                    struct pawl_places *out);
/* Returns the place, or NULL if it has no value. */
const struct pawl_place_runs *pawl_places_find(const struct pawl_places *places, int64_t place);
