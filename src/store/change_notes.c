/* SPDX-License-Identifier: Apache-2.0 */
#include "store/change_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/store_handle.h"

/* --- which change --- */

#define KEY 80 /* characters of a commit or of "@" and seconds */

/* An uncommitted tree's commit is not the measured code, so its time is the key. */
static const char *change_key(const struct pawl_series_change *change, char out[KEY]) {
  if (change->commit && !change->dirty)
    snprintf(out, KEY, "%s", change->commit);
  else
    snprintf(out, KEY, "@%" PRId64, change->at);
  return out;
}

struct pawl_change_note pawl_store_note_on(const struct pawl_series *series,
                                           const struct pawl_series_change *change, long long now,
                                           struct pawl_arena *arena) {
  char key[KEY];
  return (struct pawl_change_note){
      .kernel_name = series->kernel_name,
      .case_name = series->case_name,
      .shape = series->shape,
      .unit = series->unit,
      .hardware = series->hardware,
      .commit = pawl_arena_copy(arena, change_key(change, key)),
      .previous_commit = change->previous_commit,
      .worse = change->loss_pct > 0,
      .time = change->noted > now ? change->noted : now,
  };
}

bool pawl_store_note_is_on(const struct pawl_change_note *note,
                           const struct pawl_series_change *change, bool moved) {
  char key[KEY];
  change_key(change, key);
  if (note->worse != (change->loss_pct > 0)) return false;
  if (!moved) return !strcmp(note->commit, key);
  return (change->previous_commit && !strcmp(note->commit, change->previous_commit)) ||
         (note->previous_commit && !strcmp(note->previous_commit, key));
}

static void note_series_hash(const struct pawl_change_note *note, char out[PAWL_HASH_TEXT]) {
  const char *const texts[] = {note->kernel_name, note->case_name, note->shape, note->hardware,
                               note->unit};
  pawl_store_hash(texts, sizeof texts / sizeof *texts, out);
}

void pawl_store_series_hash(const struct pawl_series *series, char out[PAWL_HASH_TEXT]) {
  const struct pawl_change_note any = {.kernel_name = series->kernel_name,
                                       .case_name = series->case_name,
                                       .shape = series->shape,
                                       .unit = series->unit,
                                       .hardware = series->hardware};
  note_series_hash(&any, out);
}

/* --- writing --- */

pawl_status pawl_store_note(struct pawl_store *store, const struct pawl_change_note *note,
                            struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  note_series_hash(note, hash);
  PAWL_TRY(pawl_store_lock(store, err));
  PAWL_TRY(pawl_sql_run(
      store->sql,
      "INSERT INTO pawl_notes (series_hash, commit_id, worse, previous, state, note, person, time)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (series_hash, commit_id, worse)"
      " DO UPDATE SET previous = excluded.previous, state = excluded.state, note = excluded.note,"
      " person = excluded.person, time = excluded.time WHERE excluded.time >= pawl_notes.time",
      PAWL_SQL_PARAMETERS(
          pawl_sql_text(hash), pawl_sql_text(note->commit), pawl_sql_integer(note->worse),
          pawl_sql_text(note->previous_commit), pawl_sql_text(pawl_change_state_name(note->state)),
          pawl_sql_text(note->note), pawl_sql_text(note->person), pawl_sql_integer(note->time)),
      err));
  /* the answers that the store keeps have the notes of their time */
  return pawl_sql_run(store->sql, "UPDATE pawl_series SET version = version + 1 WHERE hash = $1",
                      PAWL_SQL_PARAMETERS(pawl_sql_text(hash)), err);
}

/* --- reading --- */

struct note_list {
  struct pawl_arena *arena;
  struct pawl_change_note *items;
  size_t count, capacity;
};

static enum pawl_status_code take_note(void *context, const struct pawl_sql_value *columns,
                                       size_t count, struct pawl_error *err) {
  struct note_list *list = context;
  const char *texts[10];
  (void)count;
  for (size_t i = 0; i < 10; i++)
    texts[i] = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[i]));
  struct pawl_change_note note = {.kernel_name = texts[0],
                                  .case_name = texts[1],
                                  .shape = texts[2],
                                  .hardware = texts[3],
                                  .unit = texts[4],
                                  .commit = texts[5],
                                  .previous_commit = texts[6],
                                  .note = texts[8],
                                  .person = texts[9],
                                  .worse = pawl_sql_get_integer(&columns[10], 0),
                                  .time = pawl_sql_get_integer(&columns[11], 0)};
  if (!texts[7] || !pawl_change_state_parse(texts[7], &note.state))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "the history has a note with the unknown state '%.40s': update pawl",
                     texts[7] ? texts[7] : "");
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = note;
  return PAWL_OK;
}

/* `hash` chooses one series; NULL: all. */
static pawl_status read_notes(struct pawl_store *store, const char *hash, struct pawl_arena *arena,
                              struct pawl_change_note **out, size_t *count,
                              struct pawl_error *err) {
  struct note_list list = {.arena = arena};
  const enum pawl_status_code status = pawl_sql_query(
      store->sql,
      "SELECT s.kernel, s.case_name, s.shape, s.hardware, s.unit, n.commit_id, n.previous, n.state,"
      " n.note, n.person, n.worse, n.time FROM pawl_notes n JOIN pawl_series s"
      " ON s.hash = n.series_hash WHERE (CAST($1 AS TEXT) IS NULL OR n.series_hash = $1)"
      " ORDER BY n.series_hash, n.time, n.commit_id, n.worse",
      PAWL_SQL_PARAMETERS(pawl_sql_text(hash)), take_note, &list, err);
  if (status == PAWL_OK) {
    *out = pawl_arena_alloc(arena, list.count, sizeof **out);
    if (list.count) memcpy(*out, list.items, list.count * sizeof **out);
    *count = list.count;
  }
  pawl_free(list.items);
  return status;
}

pawl_status pawl_store_notes(struct pawl_store *store, struct pawl_arena *arena,
                             struct pawl_change_note **out, size_t *count, struct pawl_error *err) {
  return read_notes(store, NULL, arena, out, count, err);
}

/* --- on changes --- */

/* Gives the note to the first change that it is on and that has none. */
static bool give(const struct pawl_change_note *note, bool moved,
                 struct pawl_series_change *changes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (changes[i].noted >= 0 || !pawl_store_note_is_on(note, &changes[i], moved)) continue;
    changes[i].state = note->state;
    changes[i].note = note->note;
    changes[i].person = note->person;
    changes[i].noted = note->time;
    return true;
  }
  return false;
}

pawl_status pawl_store_notes_apply(struct pawl_store *store, const struct pawl_series *series,
                                   struct pawl_arena *arena, struct pawl_series_change *changes,
                                   size_t count, struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  struct pawl_change_note *notes;
  size_t note_count;
  if (!count) return PAWL_OK;
  pawl_store_series_hash(series, hash);
  PAWL_TRY(read_notes(store, hash, arena, &notes, &note_count, err));
  bool *given = pawl_arena_alloc(arena, note_count, sizeof *given);
  for (size_t i = note_count; i-- > 0;) /* the newest first */
    given[i] = give(&notes[i], false, changes, count);
  for (size_t i = note_count; i-- > 0;)
    if (!given[i]) give(&notes[i], true, changes, count);
  return PAWL_OK;
}
