/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_landing.h"

#include <string.h>

#include "base/count.h"
#include "store/place.h"
#include "store/store_batch.h"

/* Counts the points of each number of a series, and looks up its key, without the lock. A series
 * may have several numbers. */
static const char total[] =
    "DROP TABLE IF EXISTS pawl_staged_totals;"
    "CREATE TEMP TABLE pawl_staged_totals AS SELECT g.id, n.hash, (SELECT s.id FROM pawl_series s"
    " WHERE s.hash = n.hash) AS key, g.points, g.first_time, g.last_time FROM (SELECT series AS id,"
    " count(*) AS points, min(time) AS first_time, max(time) AS last_time FROM pawl_staged_points"
    " GROUP BY series) AS g CROSS JOIN pawl_staged_series n WHERE n.id = g.id;"
    "CREATE UNIQUE INDEX pawl_staged_totals_ids ON pawl_staged_totals (id)";

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
static pawl_status place_runs(struct pawl_store *store, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  for (size_t i = 0; i < batch->run_count; i++) {
    struct pawl_batch_run *one = &batch->runs[i];
    PAWL_TRY(pawl_place_of_run(store, &one->run, &one->id, &one->place, err));
    for (size_t j = 0; one->run.commit && j < i; j++)
      if (batch->runs[j].run.commit && !strcmp(batch->runs[j].run.commit, one->run.commit))
        batch->runs[j].place = one->place;
    if (one->known) one->id = PAWL_STORE_NO_ID; /* another writer may have removed it meanwhile */
    if (one->id != PAWL_STORE_NO_ID) add_run_row(store, one);
  }
  return PAWL_OK;
}

/* Counts the runs and adds their keys for the points. */
static void add_staged_runs(struct pawl_store *store) {
  const struct pawl_store_batch *batch = store->batch;
  for (size_t i = 0; i < batch->run_count; i++) {
    const struct pawl_batch_run *one = &batch->runs[i];
    const struct pawl_sql_value row[] = {pawl_sql_integer((int64_t)i + 1),
                                         pawl_sql_integer(one->id), pawl_sql_integer(one->place)};
    if (one->id == PAWL_STORE_NO_ID) {
      store->added.known++;
      continue;
    }
    store->added.runs++;
    store->added.points += one->points;
    if (one->points) pawl_batch_add(store, PAWL_TABLE_STAGED_RUNS, row);
  }
}

/* Drops the points of runs that another writer added before this one had the lock. */
static pawl_status drop_late_points(struct pawl_store *store, struct pawl_error *err) {
  const struct pawl_store_batch *batch = store->batch;
  bool late = false;
  for (size_t i = 0; i < batch->run_count; i++) {
    if (batch->runs[i].id != PAWL_STORE_NO_ID || !batch->runs[i].points) continue;
    PAWL_TRY(pawl_sql_run(store->sql, "DELETE FROM pawl_staged_points WHERE run = $1",
                          PAWL_SQL_PARAMETERS(pawl_sql_integer((int64_t)i + 1)), err));
    late = true;
  }
  return late ? pawl_sql_script(store->sql, total, err) : PAWL_OK;
}

/* Each statement adds the largest keys of its tables to the numbers. A new series has the key of
 * its number, and no key in the totals. CROSS JOIN keeps SQLite to the order of the tables. SQLite
 * needs WHERE before ON CONFLICT. */
static const struct {
  enum pawl_store_table keys[2];
  size_t count;
  const char *text;
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
     " FROM pawl_staged_points p CROSS JOIN pawl_staged_runs r WHERE r.id = p.run"},
    {{PAWL_TABLE_POINTS},
     1,
     "INSERT INTO pawl_details (point, environment, result, comparison, profile)"
     " SELECT p.id, (SELECT e.id FROM pawl_staged_environments n CROSS JOIN pawl_environments e"
     " WHERE n.id = d.environment AND e.hash = n.hash), d.result, d.comparison, d.profile"
     " FROM pawl_staged_details d CROSS JOIN pawl_points p WHERE p.id = d.point + $1"},
};

static pawl_status move_staged(struct pawl_store *store, struct pawl_error *err) {
  const struct pawl_store_batch *batch = store->batch;
  PAWL_TRY(pawl_batch_stage(store, err));
  PAWL_TRY(drop_late_points(store, err));
  for (size_t i = 0; i < PAWL_COUNT(landing); i++) {
    const struct pawl_sql_value keys[] = {pawl_sql_integer(batch->keys[landing[i].keys[0]]),
                                          pawl_sql_integer(batch->keys[landing[i].keys[1]])};
    PAWL_TRY(pawl_sql_run(store->sql, landing[i].text, keys, landing[i].count, err));
  }
  return PAWL_OK;
}

pawl_status pawl_store_land(struct pawl_store *store, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  if (!batch) return PAWL_OK;
  PAWL_TRY(pawl_batch_stage(store, err));
  if (batch->staged) PAWL_TRY(pawl_sql_script(store->sql, total, err));
  PAWL_TRY(pawl_store_lock(store, err));
  PAWL_TRY(pawl_sql_query(store->sql,
                          "SELECT (SELECT max(id) FROM pawl_runs),"
                          " (SELECT max(id) FROM pawl_environments),"
                          " (SELECT max(id) FROM pawl_series),"
                          " (SELECT max(id) FROM pawl_points), (SELECT max(id) FROM pawl_moves)",
                          NULL, 0, take_keys, batch, err));
  PAWL_TRY(place_runs(store, err));
  pawl_batch_place_moves(batch);
  PAWL_TRY(pawl_batch_send(store, PAWL_TABLE_COMMITS, PAWL_TABLE_MOVES, err));
  add_staged_runs(store);
  if (batch->staged) PAWL_TRY(move_staged(store, err));
  pawl_batch_drop(store);
  return PAWL_OK;
}
