/* SPDX-License-Identifier: Apache-2.0 */
/* Removes runs, or only the samples of old runs. */
#include "base/memory.h"
#include "store/series_summary.h"
#include "store/store_landing.h"

#define SECONDS_OF_A_DAY ((int64_t)24 * 3600)

/* --- samples --- */

#define OLD_SAMPLES                                                                           \
  " FROM pawl_details d JOIN pawl_points p ON p.id = d.point WHERE d.result IS NOT NULL AND " \
  "p.time < $1"
/* Selects points where nothing happened that somebody may want to look at again. */
#define QUIET                                                                                   \
  " AND d.pinned = 0 AND (p.verdict IS NULL OR p.verdict NOT IN ('regression', 'improvement', " \
  "'accepted'))"                                                                                \
  " AND NOT EXISTS (SELECT 1 FROM pawl_moves m JOIN pawl_series s ON s.id = p.series"           \
  " WHERE m.run = p.run AND m.kernel = s.kernel AND m.case_name = s.case_name)"

/* Keeps the samples of a point beside a change for good, whatever a later search finds. */
static pawl_status pin(struct pawl_sql *sql, const struct pawl_series_summary *summary,
                       struct pawl_error *err) {
  for (size_t i = 0; i < summary->change_count; i++)
    PAWL_TRY(pawl_sql_run(sql, "UPDATE pawl_details SET pinned = 1 WHERE point = $1 OR point = $2",
                          PAWL_SQL_PARAMETERS(pawl_sql_integer(summary->changes[i].point),
                                              pawl_sql_integer(summary->changes[i].previous)),
                          err));
  return PAWL_OK;
}

/* Pins the changes of the series that have older runs. */
static pawl_status pin_changes(struct pawl_store *store, int64_t before, struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_series *series = NULL;
  size_t count = 0;
  PAWL_TRY(pawl_store_series(store, &any, &arena, &series, &count, err));
  for (size_t i = 0; i < count; i++) {
    PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena each = {0};
    struct pawl_series_summary summary;
    if (series[i].first_time >= before) continue;
    PAWL_TRY(pawl_series_summary_read(store, &series[i], NULL, &each, &summary, err));
    PAWL_TRY(pin(store->sql, &summary, err));
  }
  return PAWL_OK;
}

static pawl_status remove_unused_environments(struct pawl_sql *sql, struct pawl_error *err) {
  return pawl_sql_run(sql,
                      "DELETE FROM pawl_environments WHERE id NOT IN"
                      " (SELECT environment FROM pawl_details WHERE environment IS NOT NULL)",
                      NULL, 0, err);
}

static pawl_status prune_samples(struct pawl_store *store, int64_t before, struct pawl_pruned *out,
                                 struct pawl_error *err) {
  const struct pawl_sql_value time = pawl_sql_integer(before);
  struct pawl_sql *sql = store->sql;
  int64_t old;
  PAWL_TRY(pin_changes(store, before, err));
  PAWL_TRY(pawl_sql_number(sql, "SELECT count(*)" OLD_SAMPLES, &time, 1, 0, &old, err));
  PAWL_TRY(
      pawl_sql_number(sql, "SELECT count(*)" OLD_SAMPLES QUIET, &time, 1, 0, &out->points, err));
  PAWL_TRY(pawl_sql_number(sql, "SELECT count(DISTINCT p.run)" OLD_SAMPLES QUIET, &time, 1, 0,
                           &out->runs, err));
  PAWL_TRY(pawl_sql_number(sql, "SELECT coalesce(sum(length(d.result)), 0)" OLD_SAMPLES QUIET,
                           &time, 1, 0, &out->bytes, err));
  out->spared = old - out->points;
  PAWL_TRY(pawl_sql_run(sql,
                        "UPDATE pawl_details SET result = NULL, environment = NULL WHERE point IN"
                        " (SELECT d.point" OLD_SAMPLES QUIET ")",
                        &time, 1, err));
  PAWL_TRY(pawl_sql_run(
      sql,
      "DELETE FROM pawl_details WHERE result IS NULL AND comparison IS NULL AND profile IS NULL",
      NULL, 0, err));
  return remove_unused_environments(sql, err);
}

/* --- runs --- */

/* The statements that remove the runs that `chosen` selects. The caller removes their moves. The
 * statements count the series while the points still tell which series they are. */
#define REMOVE_DETAILS(chosen) \
  "DELETE FROM pawl_details WHERE point IN (SELECT id FROM pawl_points WHERE run IN (" chosen "))"
#define THAT_STAY(chosen) \
  " FROM pawl_points p WHERE p.series = pawl_series.id AND p.run NOT IN (" chosen "))"
#define COUNT_AGAIN(chosen) \
  "UPDATE pawl_series SET version = version + 1, points = (SELECT count(*)" THAT_STAY(chosen) \
  ", first_time = coalesce((SELECT min(time)" THAT_STAY(chosen) ", first_time)"               \
  ", last_time = coalesce((SELECT max(time)" THAT_STAY(chosen) ", last_time)"                 \
  " WHERE id IN (SELECT series FROM pawl_points WHERE run IN (" chosen "))"
#define REMOVAL(chosen)                                      \
  {                                                          \
    REMOVE_DETAILS(chosen), COUNT_AGAIN(chosen),             \
        "DELETE FROM pawl_points WHERE run IN (" chosen ")", \
        "DELETE FROM pawl_runs WHERE id IN (" chosen ")"     \
  }
#define REMOVAL_STEPS 4

static pawl_status remove_runs(struct pawl_sql *sql, const char *const steps[REMOVAL_STEPS],
                               const struct pawl_sql_value *chosen, struct pawl_error *err) {
  for (size_t i = 0; i < REMOVAL_STEPS; i++) PAWL_TRY(pawl_sql_run(sql, steps[i], chosen, 1, err));
  PAWL_TRY(remove_unused_environments(sql, err));
  PAWL_TRY(pawl_sql_run(
      sql,
      "DELETE FROM pawl_summaries WHERE series IN (SELECT id FROM pawl_series WHERE points = 0)",
      NULL, 0, err));
  PAWL_TRY(pawl_sql_run(sql, "DELETE FROM pawl_series WHERE points = 0", NULL, 0, err));
  return pawl_sql_run(sql,
                      "DELETE FROM pawl_commits WHERE id NOT IN"
                      " (SELECT commit_id FROM pawl_runs WHERE commit_id IS NOT NULL)",
                      NULL, 0, err);
}

#define OLD_RUNS "SELECT id FROM pawl_runs WHERE time < $1"

static pawl_status prune_runs(struct pawl_store *store, int64_t time, struct pawl_pruned *out,
                              struct pawl_error *err) {
  static const char *const steps[REMOVAL_STEPS] = REMOVAL(OLD_RUNS);
  const struct pawl_sql_value before = pawl_sql_integer(time);
  struct pawl_sql *sql = store->sql;
  PAWL_TRY(pawl_sql_number(sql, "SELECT count(*) FROM (" OLD_RUNS ") AS old", &before, 1, 0,
                           &out->runs, err));
  PAWL_TRY(pawl_sql_number(sql, "SELECT count(*) FROM pawl_points WHERE run IN (" OLD_RUNS ")",
                           &before, 1, 0, &out->points, err));
  PAWL_TRY(pawl_sql_run(sql, "UPDATE pawl_moves SET run = NULL WHERE time < $1", &before, 1, err));
  return remove_runs(sql, steps, &before, err);
}

/* Removes the moves too, because a run that comes again brings them again. */
static pawl_status remove_part(struct pawl_store *store, const char *id, bool *removed,
                               struct pawl_error *err) {
  static const char *const steps[REMOVAL_STEPS] = REMOVAL("SELECT id FROM pawl_runs WHERE id = $1");
  struct pawl_sql *sql = store->sql;
  int64_t run;
  PAWL_TRY(pawl_store_find(sql, "SELECT id FROM pawl_runs WHERE uid = $1", id, &run, err));
  *removed = run != PAWL_STORE_NO_ID;
  if (!*removed) return PAWL_OK;
  const struct pawl_sql_value chosen = pawl_sql_integer(run);
  PAWL_TRY(pawl_sql_run(sql, "DELETE FROM pawl_moves WHERE run = $1", &chosen, 1, err));
  return remove_runs(sql, steps, &chosen, err);
}

/* Takes the lock first, so that the runs before it land with the removal, or none of them does. */
pawl_status pawl_store_remove(struct pawl_store *store, const char *id, bool *removed,
                              struct pawl_error *err) {
  char part[PAWL_HASH_TEXT];
  bool more = true, whole;
  int number = 0;
  *removed = false;
  PAWL_TRY(pawl_store_lock(store, err));
  PAWL_TRY(pawl_store_land(store, err));
  while (more) {
    pawl_store_part_id(id, ++number, part);
    PAWL_TRY(remove_part(store, part, &more, err));
    *removed = *removed || more;
  }
  PAWL_TRY(remove_part(store, id, &whole, err));
  *removed = *removed || whole;
  return PAWL_OK;
}

/* A dry run does everything and rolls it back, so its counts are those of a real one. */
static pawl_status prune(struct pawl_store *store, const struct pawl_prune *what,
                         struct pawl_pruned *out, struct pawl_error *err) {
  struct pawl_pruned pruned = {0};
  pawl_store_begin(store);
  enum pawl_status_code status = pawl_store_lock(store, err);
  if (status == PAWL_OK)
    status = what->only_samples ? prune_samples(store, what->before, &pruned, err)
                                : prune_runs(store, what->before, &pruned, err);
  if (status == PAWL_OK && what->dry_run)
    PAWL_TRY(pawl_store_undo(store, err));
  else
    PAWL_TRY(pawl_store_end(store, status, err));
  *out = pruned;
  return PAWL_OK;
}

pawl_status pawl_store_prune(struct pawl_store *store, const struct pawl_prune *what,
                             struct pawl_pruned *out, struct pawl_error *err) {
  PAWL_TRY(prune(store, what, out, err));
  if (out->runs && !what->dry_run && store->sql->driver->compact)
    PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->compact, err));
  return PAWL_OK;
}

/* The freed space stays in the file for later runs, because SQLite would rewrite the whole file to
 * give it back. */
pawl_status pawl_store_retain(struct pawl_store *store, int64_t now, int days,
                              struct pawl_pruned *out, struct pawl_error *err) {
  const struct pawl_prune what = {.before = now - days * SECONDS_OF_A_DAY, .only_samples = true};
  const struct pawl_sql_value time = pawl_sql_integer(now);
  int64_t last;
  *out = (struct pawl_pruned){0};
  PAWL_TRY(pawl_sql_number(store->sql, "SELECT max(last_time) FROM pawl_retention", NULL, 0, 0,
                           &last, err));
  if (now < last + SECONDS_OF_A_DAY) return PAWL_OK;
  PAWL_TRY(prune(store, &what, out, err));
  PAWL_TRY(pawl_sql_run(store->sql, "DELETE FROM pawl_retention", NULL, 0, err));
  return pawl_sql_run(store->sql, "INSERT INTO pawl_retention (last_time) VALUES ($1)", &time, 1,
                      err);
}
