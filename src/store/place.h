/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a series. A place of the axis is a commit: its time, which ancestry corrects so that
 * a commit comes after its parents, and the number of its first run, which tells commits of one
 * second apart. All runs of a commit share its place. A run without a commit has a place of its
 * own, by its time. Every reader orders by place, then by the time of the run. */
#pragma once

#include "record/history.h"
#include "store/store.h"

#define PAWL_PLACE_RUN_BITS 28 /* as in the tables' step 8, whose factor is 1 << 28 */
#define PAWL_PLACE_MOST_SECONDS (((int64_t)1 << (63 - PAWL_PLACE_RUN_BITS)) - 1)

/* Makes a place from seconds since 1970 and the number of a run. */
static inline int64_t pawl_place(int64_t seconds, int64_t run) {
  if (seconds < 0) seconds = 0;
  if (seconds > PAWL_PLACE_MOST_SECONDS) seconds = PAWL_PLACE_MOST_SECONDS;
  return seconds << PAWL_PLACE_RUN_BITS | (run & (((int64_t)1 << PAWL_PLACE_RUN_BITS) - 1));
}
static inline int64_t pawl_place_seconds(int64_t place) { return place >> PAWL_PLACE_RUN_BITS; }

/* Gives a run that the caller adds its key and its place, and its commit a row. *id is
 * PAWL_STORE_NO_ID if the store has the run. If this run tells the commit's time, the commit moves
 * with all its points. */
pawl_status pawl_place_of_run(struct pawl_store *store, const struct pawl_history_run *run,
                              int64_t *id, int64_t *place, struct pawl_error *err);
/* Moves a commit with all its points. */
pawl_status pawl_place_move(struct pawl_store *store, const char *commit, int64_t place,
                            bool ancestry, struct pawl_error *err);
