/* SPDX-License-Identifier: Apache-2.0 */
#include "store/place.h"

#include "store/store_handle.h"

#define RUN_BITS 28 /* as in the tables' step 8, whose factor is 1 << 28 */
#define MOST_SECONDS (((int64_t)1 << (63 - RUN_BITS)) - 1)

int64_t pawl_place(int64_t seconds, int64_t run) {
  if (seconds < 0) seconds = 0;
  if (seconds > MOST_SECONDS) seconds = MOST_SECONDS;
  return seconds << RUN_BITS | (run & (((int64_t)1 << RUN_BITS) - 1));
}

int64_t pawl_place_seconds(int64_t place) { return place >> RUN_BITS; }

/* The facts of a commit in the store. */
struct known_place {
  int64_t place; /* PAWL_STORE_NO_ID: none yet */
  bool ancestry; /* git gave the place, so no run moves it */
  int64_t time;  /* -1: unknown */
};

static enum pawl_status_code take_known(void *context, const struct pawl_sql_value *columns,
                                        size_t count, struct pawl_error *err) {
  (void)count, (void)err;
  *(struct known_place *)context = (struct known_place){
      pawl_sql_get_integer(&columns[0], PAWL_STORE_NO_ID), pawl_sql_get_integer(&columns[1], 0),
      pawl_sql_get_integer(&columns[2], -1)};
  return PAWL_OK;
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
                            const struct known_place *known) {
  const bool fresh = known->place == PAWL_STORE_NO_ID;
  if (known->ancestry) return known->place;
  if (known->time >= 0) return pawl_place(known->time, fresh ? id : known->place);
  const int64_t before = fresh ? run->time : pawl_place_seconds(known->place);
  return pawl_place(run->time < before ? run->time : before, fresh ? id : known->place);
}

pawl_status pawl_place_of_run(struct pawl_store *store, const struct pawl_history_run *run,
                              int64_t id, int64_t *out, struct pawl_error *err) {
  struct known_place known = {.place = PAWL_STORE_NO_ID};
  int64_t place = pawl_place(run->time, id);
  if (run->commit) {
    PAWL_TRY(
        pawl_sql_query(store->sql, "SELECT place, ancestry, time FROM pawl_commits WHERE id = $1",
                       PAWL_SQL_PARAMETERS(pawl_sql_text(run->commit)), take_known, &known, err));
    place = wanted_place(run, id, &known);
    if (place != known.place) PAWL_TRY(pawl_place_move(store, run->commit, place, false, err));
  }
  *out = place;
  return PAWL_OK;
}
