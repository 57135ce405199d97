/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that need all points of a series: its levels, the changes between them with their commits,
 * and its present state. The store keeps them until the series changes, so only the first caller
 * waits. */
#pragma once

#include "model/fields.h"
#include "store/series_change.h"
#include "store/store.h"

#define PAWL_SERIES_RECENT 60 /* values of `recent` */

struct pawl_series_summary {
  const char *line;   /* the branch; "": runs without one */
  int64_t points;     /* points of the line, with a value and without */
  int64_t commits;    /* places with a value */
  int64_t searched;   /* the newest of these, in which pawl looked for changes; 0: too few */
  double level, best; /* the newest and the best level; NaN: too few commits */
  double loss_pct;    /* `level` against `best`; positive is worse */
  double latest;      /* the newest commit's value */
  double noise_pct;   /* the standard deviation around the level; NaN: too few values */
  bool uncommitted;   /* only uncommitted trees have values */
  /* the newest run of a committed tree, else the newest run; 0 and NULL: there is none */
  int64_t newest, newest_at;
  const char *outcome, *verdict;
  struct pawl_series_change *changes; /* in order */
  size_t change_count;
  double *recent; /* the newest values, oldest first */
  size_t recent_count;
};

extern const struct pawl_fields pawl_series_summary_fields;
extern const struct pawl_fields pawl_series_change_fields;

/* Reads the summary of a branch; NULL: pawl_store_line(). `series` comes from pawl_store_series().
 * Everything lives in the arena. If the store keeps no answer, this takes some milliseconds for a
 * few thousand points. */
pawl_status pawl_series_summary_read(struct pawl_store *store, const struct pawl_series *series,
                                     const char *branch, struct pawl_arena *arena,
                                     struct pawl_series_summary *out, struct pawl_error *err);

/* Writes the answers that pawl has found into the store, all at once. Call it after the last one.
 * If the store is busy or cannot be written, they are lost, and the next reader searches again. */
void pawl_series_summary_keep(struct pawl_store *store);

/* Returns why somebody should look at the series: "failed", "slower" or "faster" (a unit that is no
 * time: "worse" or "better"), or NULL. A change that is expected, fixed or wrong needs nobody. */
const char *pawl_series_attention(const struct pawl_series *series,
                                  const struct pawl_series_summary *summary);
