/* SPDX-License-Identifier: Apache-2.0 */
#include "store/place.h"

#include "store/store_batch.h"

/* The facts of a run and its commit in the store. */
struct known_run {
  int64_t run;   /* PAWL_STORE_NO_ID: the run is new */
  bool commit;   /* the commit has a row */
  int64_t place; /* PAWL_STORE_NO_ID: none yet */
  bool ancestry; /* git gave the place, so no run moves it */
  int64_t time;  /* -1: unknown */
  bool subject;  /* the commit has one */
};

static enum pawl_status_code take_known(void *context, const struct pawl_sql_value *columns,
                                        size_t count, struct pawl_error *err) {
  (void)count, (void)err;
  *(struct known_run *)context =
      (struct known_run){.run = pawl_sql_get_integer(&columns[0], PAWL_STORE_NO_ID),
                         .commit = columns[1].kind != PAWL_SQL_NULL,
                         .place = pawl_sql_get_integer(&columns[2], PAWL_STORE_NO_ID),
                         .ancestry = pawl_sql_get_integer(&columns[3], 0),
                         .time = pawl_sql_get_integer(&columns[4], -1),
                         .subject = columns[5].kind != PAWL_SQL_NULL};
  return PAWL_OK;
}

/* Looks in the batch too, whose rows the database does not have yet. */
static pawl_status look_up_run(struct pawl_store *store, const struct pawl_history_run *run,
                               struct known_run *out, struct pawl_error *err) {
  const struct pawl_sql_value *waiting =
                                  pawl_batch_find(store, PAWL_TABLE_RUNS, PAWL_RUNS_UID, run->id),
                              *commit = run->commit ? pawl_batch_find(store, PAWL_TABLE_COMMITS,
                                                                      PAWL_COMMITS_ID, run->commit)
                                                    : NULL;
  /* a commit that waits is rare news: most runs of a file have commits of their own */
  if (waiting || commit) PAWL_TRY(pawl_batch_send(store, PAWL_TABLE_COMMITS, PAWL_TABLE_RUNS, err));
  return pawl_sql_query(
      store->sql,
      "SELECT (SELECT id FROM pawl_runs WHERE uid = $1), c.id, c.place, c.ancestry, c.time,"
      " c.subject FROM (SELECT 1 AS one) AS o LEFT JOIN pawl_commits c ON c.id = $2",
      PAWL_SQL_PARAMETERS(pawl_sql_text(run->id), pawl_sql_text(run->commit)), take_known, out,
      err);
}

pawl_status pawl_place_move(struct pawl_store *store, const char *commit, int64_t place,
                            bool ancestry, struct pawl_error *err) {
  const struct pawl_sql_value id = pawl_sql_text(commit);
  PAWL_TRY(pawl_sql_run(
      store->sql, "UPDATE pawl_commits SET place = $2, ancestry = $3 WHERE id = $1",
      PAWL_SQL_PARAMETERS(id, pawl_sql_integer(place), pawl_sql_integer(ancestry)), err));
  PAWL_TRY(pawl_sql_run(store->sql,
                        "UPDATE pawl_points SET place = $2 WHERE run IN"
                        " (SELECT id FROM pawl_runs WHERE commit_id = $1)",
                        PAWL_SQL_PARAMETERS(id, pawl_sql_integer(place)), err));
  return pawl_sql_run(store->sql,
                      "UPDATE pawl_series SET version = version + 1 WHERE id IN"
                      " (SELECT series FROM pawl_points WHERE run IN"
                      " (SELECT id FROM pawl_runs WHERE commit_id = $1))",
                      &id, 1, err);
}

/* The commit's time decides. Without it the earliest run does. The low bits of a place stay,
 * because they name the commit. */
static int64_t wanted_place(const struct pawl_history_run *run, int64_t id,
                            const struct known_run *known) {
  const bool fresh = known->place == PAWL_STORE_NO_ID;
  const int64_t time = known->time >= 0 ? known->time : run->commit_time;
  if (!run->commit) return pawl_place(run->time, id);
  if (known->ancestry) return known->place;
  if (time >= 0) return pawl_place(time, fresh ? id : known->place);
  const int64_t before = fresh ? run->time : pawl_place_seconds(known->place);
  return pawl_place(run->time < before ? run->time : before, fresh ? id : known->place);
}

/* Adds what the run tells of its commit. */
static pawl_status keep_commit(struct pawl_store *store, const struct pawl_history_run *run,
                               const struct known_run *known, int64_t place,
                               struct pawl_error *err) {
  const struct pawl_sql_value row[] = {pawl_sql_text(run->commit), pawl_sql_count(run->commit_time),
                                       pawl_sql_text(run->subject), pawl_sql_integer(place)};
  if (!known->commit) {
    pawl_batch_add(store, PAWL_TABLE_COMMITS, row);
    return PAWL_OK;
  }
  if ((known->time < 0 && run->commit_time >= 0) || (!known->subject && run->subject))
    PAWL_TRY(pawl_sql_run(store->sql,
                          "UPDATE pawl_commits SET time = coalesce(time, $2),"
                          " subject = coalesce(subject, $3) WHERE id = $1",
                          row, 3, err));
  if (place == known->place) return PAWL_OK;
  PAWL_TRY(pawl_batch_send(store, PAWL_TABLE_COMMITS, PAWL_TABLE_RUNS, err));
  return pawl_place_move(store, run->commit, place, false, err);
}

pawl_status pawl_place_of_run(struct pawl_store *store, const struct pawl_history_run *run,
                              int64_t *id, int64_t *place, struct pawl_error *err) {
  struct known_run known;
  int64_t key = PAWL_STORE_NO_ID;
  PAWL_TRY(look_up_run(store, run, &known, err));
  if (known.run == PAWL_STORE_NO_ID) key = ++store->batch->keys[PAWL_TABLE_RUNS];
  *place = wanted_place(run, key, &known);
  if (run->commit && (known.commit || key != PAWL_STORE_NO_ID))
    PAWL_TRY(keep_commit(store, run, &known, *place, err));
  *id = key;
  return PAWL_OK;
}
