/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps people's notes on changes in the store. */
#pragma once

#include "base/hash.h"
#include "store/series_change.h"
#include "store/store.h"

/* Adds a note, or replaces an older note on the same change. A newer note stays. Call it between
 * pawl_store_begin() and pawl_store_end(). */
pawl_status pawl_store_note(struct pawl_store *store, const struct pawl_change_note *note,
                            struct pawl_error *err);

/* Reads the notes of all series that the store has, in a fixed order. */
pawl_status pawl_store_notes(struct pawl_store *store, struct pawl_arena *arena,
                             struct pawl_change_note **out, size_t *count, struct pawl_error *err);

/* Gives each change of a series its note. A note at a neighbouring commit counts too, because a new
 * point can move a change by one commit. */
pawl_status pawl_store_notes_apply(struct pawl_store *store, const struct pawl_series *series,
                                   struct pawl_arena *arena, struct pawl_series_change *changes,
                                   size_t count, struct pawl_error *err);

/* Makes an empty note on a change: what it is about, without state and texts. Its time is `now`, or
 * that of the note that the change has, if the clock of that writer was ahead. */
struct pawl_change_note pawl_store_note_on(const struct pawl_series *series,
                                           const struct pawl_series_change *change, long long now,
                                           struct pawl_arena *arena);
/* Returns whether the commit and the direction of a note are those of the change: exactly, or if
 * `moved`, a neighbouring commit. */
bool pawl_store_note_is_on(const struct pawl_change_note *note,
                           const struct pawl_series_change *change, bool moved);
/* Writes the identity of a series, which is the same in every history. */
void pawl_store_series_hash(const struct pawl_series *series, char out[PAWL_HASH_TEXT]);
