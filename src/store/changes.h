/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of all series. Notes, issues and mail speak of these. */
#pragma once

#include "store/series_change.h"
#include "store/store.h"

struct pawl_listed_change {
  const struct pawl_series *series;
  const struct pawl_series_change *change;
  double level; /* the newest level of the series */
};

/* Lists the changes of the chosen series on a branch (NULL: pawl_store_line()), the newest first.
 * Everything lives in the arena. */
pawl_status pawl_store_changes(struct pawl_store *store, const struct pawl_series_choice *choice,
                               const char *branch, struct pawl_arena *arena,
                               struct pawl_listed_change **out, size_t *count,
                               struct pawl_error *err);

/* Returns "slower" or "faster"; a unit that is no time has "lower" and "higher". */
const char *pawl_change_word(const struct pawl_series *series,
                             const struct pawl_series_change *change);
/* Returns the size in percent of the level before; it has no sign. */
double pawl_change_size(const struct pawl_series_change *change);
