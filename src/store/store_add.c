/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a run to the tables. */

#include "base/hash.h"
#include "base/zip.h"
#include "store/place.h"
#include "store/store_handle.h"

static pawl_status add_commit(struct pawl_sql *sql, const struct pawl_history_run *run,
                              struct pawl_error *err) {
  if (!run->commit) return PAWL_OK;
  return pawl_sql_run(
      sql,
      "INSERT INTO pawl_commits (id, time, subject) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE "
      "SET"
      " time = coalesce(pawl_commits.time, excluded.time),"
      " subject = coalesce(pawl_commits.subject, excluded.subject)",
      PAWL_SQL_PARAMETERS(pawl_sql_text(run->commit), pawl_sql_count(run->commit_time),
                          pawl_sql_text(run->subject)),
      err);
}

/* *out is PAWL_STORE_NO_ID if the store has the run. */
static pawl_status add_run(struct pawl_sql *sql, const struct pawl_history_run *run, int64_t *out,
                           struct pawl_error *err) {
  return pawl_sql_number(
      sql,
      "INSERT INTO pawl_runs (uid, source, time, commit_id, branch, dirty, hardware, "
      "hardware_name, toolchain, verdict,"
      " seconds) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (uid) DO "
      "NOTHING RETURNING id",
      PAWL_SQL_PARAMETERS(
          pawl_sql_text(run->id), pawl_sql_text(run->source), pawl_sql_integer(run->time),
          pawl_sql_text(run->commit), pawl_sql_text(run->branch), pawl_sql_integer(run->dirty),
          pawl_sql_text(run->hardware), pawl_sql_text(run->hardware_name),
          pawl_sql_text(run->toolchain), pawl_sql_text(run->verdict), pawl_sql_real(run->seconds)),
      PAWL_STORE_NO_ID, out, err);
}

/* Keeps an environment once: all rows of a run share it, and mostly all runs of a machine. */
static pawl_status add_environment(struct pawl_sql *sql, const json_t *environment, int64_t *out,
                                   struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  *out = PAWL_STORE_NO_ID;
  if (!json_is_object(environment)) return PAWL_OK;
  pawl_json_write_text(environment, true, &text);
  const char *const texts[] = {pawl_text_string(&text)};
  pawl_store_hash(texts, 1, hash);
  PAWL_TRY(
      pawl_store_find(sql, "SELECT id FROM pawl_environments WHERE hash = $1", hash, out, err));
  if (*out != PAWL_STORE_NO_ID) return PAWL_OK;
  return pawl_sql_number(
      sql, "INSERT INTO pawl_environments (hash, document) VALUES ($1, $2) RETURNING id",
      PAWL_SQL_PARAMETERS(pawl_sql_text(hash), pawl_sql_text(*texts)), PAWL_STORE_NO_ID, out, err);
}

static pawl_status add_detail(struct pawl_sql *sql, const struct pawl_history_point *point,
                              int64_t id, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text result = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text comparison = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text profile = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *row = NULL;
  int64_t environment = PAWL_STORE_NO_ID;
  if (!point->result && !point->comparison && !point->profile) return PAWL_OK;
  if (point->result) {
    row = json_copy((json_t *)(uintptr_t)point->result);
    PAWL_TRY(add_environment(sql, json_object_get(row, "environment"), &environment, err));
    if (environment != PAWL_STORE_NO_ID) json_object_del(row, "environment");
  }
  pawl_pack_json(row, &result);
  pawl_pack_json(point->comparison, &comparison);
  pawl_pack_json(point->profile, &profile);
  return pawl_sql_run(sql,
                      "INSERT INTO pawl_details (point, environment, result, comparison, profile) "
                      "VALUES ($1, $2, $3, $4, $5)",
                      PAWL_SQL_PARAMETERS(pawl_sql_integer(id), pawl_sql_count(environment),
                                          pawl_sql_blob(result.data, result.length),
                                          pawl_sql_blob(comparison.data, comparison.length),
                                          pawl_sql_blob(profile.data, profile.length)),
                      err);
}

static pawl_status add_point(struct pawl_store *store, const struct pawl_history_run *run,
                             const struct pawl_history_point *point, struct pawl_error *err) {
  struct pawl_sql *sql = store->sql;
  int64_t series, id;
  PAWL_TRY(pawl_store_count_point(store, run, point, &series, err));
  PAWL_TRY(pawl_sql_number(
      sql,
      "INSERT INTO pawl_points (run, series, time, value, low, high, samples, outcome, reason, "
      "code, verdict,"
      " change_pct, change_low_pct, change_high_pct, anchor, blocks, identical, role, machine, "
      "base_sd_pct,"
      " block_sd_pct, false_alarm, place, dirty, branch)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
      "$19, $20, $21, $22, $23, $24, $25)"
      " RETURNING id",
      PAWL_SQL_PARAMETERS(
          pawl_sql_integer(store->last_run), pawl_sql_integer(series), pawl_sql_integer(run->time),
          pawl_sql_real(point->value), pawl_sql_real(point->low), pawl_sql_real(point->high),
          pawl_sql_count(point->samples), pawl_sql_text(pawl_outcome_name(point->outcome)),
          pawl_sql_text(point->reason), pawl_sql_text(point->code), pawl_sql_text(point->verdict),
          pawl_sql_real(point->change_pct), pawl_sql_real(point->change_low_pct),
          pawl_sql_real(point->change_high_pct), pawl_sql_text(point->anchor),
          pawl_sql_count(point->blocks), pawl_sql_integer(point->identical),
          pawl_sql_text(point->role), pawl_sql_text(point->machine),
          pawl_sql_real(point->base_sd_pct), pawl_sql_real(point->block_sd_pct),
          pawl_sql_real(point->false_alarm), pawl_sql_integer(store->last_place),
          pawl_sql_integer(run->dirty), pawl_sql_text(run->branch)),
      PAWL_STORE_NO_ID, &id, err));
  return add_detail(sql, point, id, err);
}

static pawl_status store_add_move(struct pawl_sql *sql, const struct pawl_history_run *run,
                                  int64_t run_id, const struct pawl_baseline_move *move,
                                  struct pawl_error *err) {
  return pawl_sql_run(
      sql,
      "INSERT INTO pawl_moves (run, time, kernel, case_name, hardware, kind, from_ms, to_ms, "
      "commit_id, timestamp,"
      " reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
      PAWL_SQL_PARAMETERS(
          pawl_sql_integer(run_id), pawl_sql_integer(run->time),
          pawl_sql_text(move->kernel_name ? move->kernel_name : ""),
          pawl_sql_text(move->case_name ? move->case_name : ""), pawl_sql_text(move->hardware),
          pawl_sql_text(pawl_move_kind_name(move->kind)), pawl_sql_real(move->from_ms),
          pawl_sql_real(move->to_ms), pawl_sql_text(move->git_commit),
          pawl_sql_text(move->timestamp), pawl_sql_text(move->reason)),
      err);
}

static pawl_status add_all(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err) {
  struct pawl_sql *sql = store->sql;
  int64_t id;
  PAWL_TRY(add_commit(sql, run, err));
  PAWL_TRY(add_run(sql, run, &id, err));
  *added = id != PAWL_STORE_NO_ID;
  store->last_run = id;
  PAWL_TRY(pawl_place_of_run(store, run, id, &store->last_place, err));
  for (size_t i = 0; *added && i < run->point_count; i++)
    PAWL_TRY(add_point(store, run, &run->points[i], err));
  for (size_t i = 0; *added && i < run->move_count; i++)
    PAWL_TRY(store_add_move(sql, run, id, &run->moves[i], err));
  return PAWL_OK;
}

pawl_status pawl_store_add(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err) {
  const bool alone = !store->in_transaction;
  bool done = false;
  if (alone) PAWL_TRY(pawl_store_begin(store, err));
  enum pawl_status_code status = add_all(store, run, &done, err);
  if (alone) status = pawl_store_end(store, status, err);
  if (status == PAWL_OK && added) *added = done;
  return status;
}

pawl_status pawl_store_add_point(struct pawl_store *store, const struct pawl_history_run *run,
                                 const struct pawl_history_point *point, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction && store->last_run > 0);
  return add_point(store, run, point, err);
}
