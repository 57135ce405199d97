/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_landing.h"

#include <string.h>

#include "base/count.h"
#include "store/place.h"
#include "store/store_batch.h"

/* The runs that land with one lock, from `first` to before `end`, and their points, from the number
 * after `before` to `last`. */
struct landing_slice {
  size_t first, end;
  int64_t before, last;
};

/* Takes the next runs that have few points together. */
static void take_slice(const struct pawl_store *store, struct landing_slice *slice) {
  const struct pawl_store_batch *batch = store->batch;
  slice->first = slice->end;
  slice->before = slice->last;
  do slice->last += (int64_t)batch->runs[slice->end++].points;
  while (slice->end < batch->run_count &&
         slice->last - slice->before + (int64_t)batch->runs[slice->end].points <=
             store->most_points);
}

/* Counts the points of each number of a series, and looks up its key, without the lock. A series
 * may have several numbers. The index of the series takes hashes in their order in a third of the
 * time. The limit keeps SQLite from looking up before it sorts. */
static pawl_status total(struct pawl_store *store, const struct landing_slice *slice,
                         struct pawl_error *err) {
  PAWL_TRY(pawl_sql_script(store->sql,
                           "DROP TABLE IF EXISTS pawl_staged_totals;"
                           "CREATE TEMP TABLE pawl_staged_totals AS SELECT id, hash, id AS key,"
                           " points, first_time, last_time FROM pawl_series WHERE 1 = 0;"
                           "CREATE UNIQUE INDEX pawl_staged_totals_ids ON pawl_staged_totals (id)",
                           err));
  return pawl_sql_run(
      store->sql,
      "INSERT INTO pawl_staged_totals SELECT t.id, t.hash, (SELECT s.id FROM pawl_series s"
      " WHERE s.hash = t.hash), t.points, t.first_time, t.last_time FROM (SELECT g.id, n.hash,"
      " g.points, g.first_time, g.last_time FROM (SELECT series AS id, count(*) AS points,"
      " min(time) AS first_time, max(time) AS last_time FROM pawl_staged_points"
      " WHERE id > $1 AND id <= $2 GROUP BY series) AS g CROSS JOIN pawl_staged_series n"
      " WHERE n.id = g.id ORDER BY n.hash LIMIT 1000000000) AS t",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(slice->before), pawl_sql_integer(slice->last)), err);
}

static enum pawl_status_code take_keys(void *context, const struct pawl_sql_value *columns,
                                       size_t count, struct pawl_error *err) {
  struct pawl_store_batch *batch = context;
  static const enum pawl_store_table keyed[] = {PAWL_TABLE_RUNS, PAWL_TABLE_ENVIRONMENTS,
                                                PAWL_TABLE_SERIES, PAWL_TABLE_POINTS,
                                                PAWL_TABLE_MOVES};
  (void)count, (void)err;
  for (size_t i = 0; i < PAWL_COUNT(keyed); i++)
    batch->keys[keyed[i]] = pawl_sql_get_integer(&columns[i], 0);
  return PAWL_OK;
}

static void add_run_row(struct pawl_store *store, const struct pawl_batch_run *added) {
  const struct pawl_history_run *run = &added->run;
  const struct pawl_sql_value row[] = {
      pawl_sql_integer(added->id),       pawl_sql_text(run->id),
      pawl_sql_text(run->source),        pawl_sql_integer(run->time),
      pawl_sql_text(run->commit),        pawl_sql_text(run->branch),
      pawl_sql_integer(run->dirty),      pawl_sql_text(run->hardware),
      pawl_sql_text(run->hardware_name), pawl_sql_text(run->toolchain),
      pawl_sql_text(run->verdict),       pawl_sql_real(run->seconds)};
  pawl_batch_add(store, PAWL_TABLE_RUNS, row);
}

/* Gives each run its key and its place. A later run may move the commit of an earlier one. */
static pawl_status place_runs(struct pawl_store *store, const struct landing_slice *slice,
                              struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  for (size_t i = slice->first; i < slice->end; i++) {
    struct pawl_batch_run *one = &batch->runs[i];
    PAWL_TRY(pawl_place_of_run(store, &one->run, &one->id, &one->place, err));
    for (size_t j = slice->first; one->run.commit && j < i; j++)
      if (batch->runs[j].run.commit && !strcmp(batch->runs[j].run.commit, one->run.commit))
        batch->runs[j].place = one->place;
    if (one->known) one->id = PAWL_STORE_NO_ID; /* another writer may have removed it meanwhile */
    if (one->id != PAWL_STORE_NO_ID) add_run_row(store, one);
  }
  return PAWL_OK;
}

/* Counts the runs and adds their keys for the points. */
static void add_staged_runs(struct pawl_store *store, const struct landing_slice *slice) {
  const struct pawl_store_batch *batch = store->batch;
  for (size_t i = slice->first; i < slice->end; i++) {
    const struct pawl_batch_run *one = &batch->runs[i];
    const struct pawl_sql_value row[] = {pawl_sql_integer((int64_t)i + 1),
                                         pawl_sql_integer(one->id), pawl_sql_integer(one->place)};
    if (one->id == PAWL_STORE_NO_ID) {
      store->added.known += !one->goes_on;
      continue;
    }
    store->added.runs += !one->goes_on;
    store->added.points += one->points;
    if (one->points) pawl_batch_add(store, PAWL_TABLE_STAGED_RUNS, row);
  }
}

/* Drops the points of runs that another writer added before this one had the lock. */
static pawl_status drop_late_points(struct pawl_store *store, const struct landing_slice *slice,
                                    struct pawl_error *err) {
  const struct pawl_store_batch *batch = store->batch;
  bool late = false;
  for (size_t i = slice->first; i < slice->end; i++) {
    if (batch->runs[i].id != PAWL_STORE_NO_ID || !batch->runs[i].points) continue;
    PAWL_TRY(pawl_sql_run(store->sql, "DELETE FROM pawl_staged_points WHERE run = $1",
                          PAWL_SQL_PARAMETERS(pawl_sql_integer((int64_t)i + 1)), err));
    late = true;
  }
  return late ? total(store, slice, err) : PAWL_OK;
}

/* Each statement adds the largest keys of its tables to the numbers. Two statements choose the
 * points of the slice by two more parameters. A new series has the key of its number, and no key in
 * the totals. CROSS JOIN keeps SQLite to the order of the tables. SQLite needs WHERE before ON
 * CONFLICT. */
static const struct {
  enum pawl_store_table keys[2];
  size_t count; /* keys */
  const char *text;
  bool chooses;
} landing[] = {
    {{PAWL_TABLE_ENVIRONMENTS},
     1,
     "INSERT INTO pawl_environments (id, hash, document) SELECT id + $1, hash, document"
     " FROM pawl_staged_environments WHERE 1 = 1 ON CONFLICT (hash) DO NOTHING"},
    /* another writer may have removed a series since the look-up without the lock */
    {{0},
     0,
     "UPDATE pawl_staged_totals SET key = NULL WHERE key IS NOT NULL AND NOT EXISTS (SELECT 1"
     " FROM pawl_series s WHERE s.id = pawl_staged_totals.key AND s.hash = "
     "pawl_staged_totals.hash)"},
    {{PAWL_TABLE_SERIES},
     1,
     "INSERT INTO pawl_series (id, hash, version, points, first_time, last_time,"
     " " PAWL_SERIES_COLUMNS ") SELECT t.id + $1, t.hash, points, points, first_time, last_time,"
     " " PAWL_SERIES_COLUMNS " FROM pawl_staged_totals t CROSS JOIN pawl_staged_series n"
     " WHERE n.id = t.id AND t.key IS NULL ON CONFLICT (hash) DO NOTHING"},
    /* another writer, or another number, may have added the series */
    {{PAWL_TABLE_SERIES},
     1,
     "UPDATE pawl_staged_totals SET key = (SELECT s.id FROM pawl_series s"
     " WHERE s.hash = pawl_staged_totals.hash) WHERE key IS NULL AND NOT EXISTS (SELECT 1"
     " FROM pawl_series x WHERE x.id = pawl_staged_totals.id + $1)"},
    {{0},
     0,
     "UPDATE pawl_series SET points = pawl_series.points + k.points,"
     " version = pawl_series.version + k.points,"
     " first_time = CASE WHEN pawl_series.points > 0 AND pawl_series.first_time < k.first_time"
     " THEN pawl_series.first_time ELSE k.first_time END,"
     " last_time = CASE WHEN pawl_series.points > 0 AND pawl_series.last_time > k.last_time"
     " THEN pawl_series.last_time ELSE k.last_time END"
     " FROM (SELECT key, sum(points) AS points, min(first_time) AS first_time,"
     " max(last_time) AS last_time FROM pawl_staged_totals WHERE key IS NOT NULL GROUP BY key) AS k"
     " WHERE k.key = pawl_series.id"},
    {{PAWL_TABLE_POINTS, PAWL_TABLE_SERIES},
     2,
     "INSERT INTO pawl_points (id, series, run, place, " PAWL_POINTS_COLUMNS ") SELECT p.id + $1,"
     " coalesce((SELECT t.key FROM pawl_staged_totals t WHERE t.id = p.series), p.series + $2),"
     " r.run, r.place, " PAWL_POINTS_COLUMNS
     " FROM pawl_staged_points p CROSS JOIN pawl_staged_runs r WHERE r.id = p.run"
     " AND p.id > $3 AND p.id <= $4",
     true},
    {{PAWL_TABLE_POINTS},
     1,
     "INSERT INTO pawl_details (point, environment, result, comparison, profile)"
     " SELECT p.id, (SELECT e.id FROM pawl_staged_environments n CROSS JOIN pawl_environments e"
     " WHERE n.id = d.environment AND e.hash = n.hash), d.result, d.comparison, d.profile"
     " FROM pawl_staged_details d CROSS JOIN pawl_points p WHERE p.id = d.point + $1"
     " AND d.point > $2 AND d.point <= $3",
     true},
};

static pawl_status move_staged(struct pawl_store *store, const struct landing_slice *slice,
                               struct pawl_error *err) {
  const struct pawl_store_batch *batch = store->batch;
  PAWL_TRY(pawl_batch_stage(store, err));
  PAWL_TRY(drop_late_points(store, slice, err));
  for (size_t i = 0; i < PAWL_COUNT(landing); i++) {
    struct pawl_sql_value values[4];
    size_t count = 0;
    while (count < landing[i].count) {
      const enum pawl_store_table table = landing[i].keys[count];
      const int64_t numbered = table == PAWL_TABLE_POINTS ? slice->before : 0;
      values[count++] = pawl_sql_integer(batch->keys[table] - numbered);
    }
    if (landing[i].chooses) {
      values[count++] = pawl_sql_integer(slice->before);
      values[count++] = pawl_sql_integer(slice->last);
    }
    PAWL_TRY(pawl_sql_run(store->sql, landing[i].text, values, count, err));
  }
  return PAWL_OK;
}

/* Gives other writers their turn after each slice but the last. */
static pawl_status give_turn(struct pawl_store *store, struct pawl_error *err) {
  store->has_lock = false;
  return pawl_sql_end(store->sql, PAWL_OK, err);
}

static pawl_status land_slice(struct pawl_store *store, const struct landing_slice *slice,
                              struct pawl_error *err) {
  const bool has_points = store->batch->staged && slice->last > slice->before;
  if (has_points) PAWL_TRY(total(store, slice, err));
  PAWL_TRY(pawl_store_lock(store, err));
  PAWL_TRY(pawl_sql_query(store->sql,
                          "SELECT (SELECT max(id) FROM pawl_runs),"
                          " (SELECT max(id) FROM pawl_environments),"
                          " (SELECT max(id) FROM pawl_series),"
                          " (SELECT max(id) FROM pawl_points), (SELECT max(id) FROM pawl_moves)",
                          NULL, 0, take_keys, store->batch, err));
  PAWL_TRY(place_runs(store, slice, err));
  PAWL_TRY(pawl_batch_send(store, PAWL_TABLE_COMMITS, PAWL_TABLE_RUNS, err));
  PAWL_TRY(pawl_batch_send_moves(store, slice->end, err));
  add_staged_runs(store, slice);
  return has_points ? move_staged(store, slice, err) : PAWL_OK;
}

pawl_status pawl_store_land(struct pawl_store *store, struct pawl_error *err) {
  struct landing_slice slice = {0};
  const bool had_lock = store->has_lock;
  if (!store->batch) return PAWL_OK;
  PAWL_TRY(pawl_batch_stage(store, err));
  do {
    if (slice.end && !had_lock) PAWL_TRY(give_turn(store, err));
    take_slice(store, &slice);
    PAWL_TRY(land_slice(store, &slice, err));
  } while (slice.end < store->batch->run_count);
  pawl_batch_drop(store);
  return PAWL_OK;
}
