/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a run to the tables. */
#include <string.h>

#include "base/hash.h"
#include "base/zip.h"
#include "store/place.h"
#include "store/store_batch.h"

static void store_add_run(struct pawl_store *store, const struct pawl_history_run *run,
                          int64_t id) {
  const struct pawl_sql_value row[] = {pawl_sql_integer(id),
                                       pawl_sql_text(run->id),
                                       pawl_sql_text(run->source),
                                       pawl_sql_integer(run->time),
                                       pawl_sql_text(run->commit),
                                       pawl_sql_text(run->branch),
                                       pawl_sql_integer(run->dirty),
                                       pawl_sql_text(run->hardware),
                                       pawl_sql_text(run->hardware_name),
                                       pawl_sql_text(run->toolchain),
                                       pawl_sql_text(run->verdict),
                                       pawl_sql_real(run->seconds)};
  pawl_batch_add(store, PAWL_TABLE_RUNS, row);
}

/* Keeps an environment once: all rows of a run share it, and mostly all runs of a machine. */
static pawl_status add_environment(struct pawl_store *store, const json_t *environment,
                                   int64_t *out, struct pawl_error *err) {
  char hash[PAWL_HASH_TEXT];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  *out = PAWL_STORE_NO_ID;
  if (!json_is_object(environment)) return PAWL_OK;
  pawl_json_write_text(environment, true, &text);
  const char *const texts[] = {pawl_text_string(&text)};
  pawl_store_hash(texts, 1, hash);
  if (!strcmp(hash, store->environment_hash)) {
    *out = store->environment;
    return PAWL_OK;
  }
  const struct pawl_sql_value *waiting =
      pawl_batch_find(store, PAWL_TABLE_ENVIRONMENTS, PAWL_ENVIRONMENTS_HASH, hash);
  if (waiting)
    *out = waiting[0].integer;
  else
    PAWL_TRY(pawl_store_find(store->sql, "SELECT id FROM pawl_environments WHERE hash = $1", hash,
                             out, err));
  if (*out == PAWL_STORE_NO_ID) {
    PAWL_TRY(pawl_batch_key(store, PAWL_TABLE_ENVIRONMENTS, out, err));
    const struct pawl_sql_value row[] = {pawl_sql_integer(*out), pawl_sql_text(hash),
                                         pawl_sql_text(*texts)};
    pawl_batch_add(store, PAWL_TABLE_ENVIRONMENTS, row);
  }
  memcpy(store->environment_hash, hash, sizeof hash);
  store->environment = *out;
  return PAWL_OK;
}

static pawl_status add_detail(struct pawl_store *store, const struct pawl_history_point *point,
                              int64_t id, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text result = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text comparison = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text profile = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *row = NULL;
  int64_t environment = PAWL_STORE_NO_ID;
  if (!point->result && !point->comparison && !point->profile) return PAWL_OK;
  if (point->result) {
    row = json_copy((json_t *)(uintptr_t)point->result);
    PAWL_TRY(add_environment(store, json_object_get(row, "environment"), &environment, err));
    if (environment != PAWL_STORE_NO_ID) json_object_del(row, "environment");
  }
  pawl_pack_json(row, &result);
  pawl_pack_json(point->comparison, &comparison);
  pawl_pack_json(point->profile, &profile);
  const struct pawl_sql_value values[] = {pawl_sql_integer(id), pawl_sql_count(environment),
                                          pawl_sql_blob(result.data, result.length),
                                          pawl_sql_blob(comparison.data, comparison.length),
                                          pawl_sql_blob(profile.data, profile.length)};
  pawl_batch_add(store, PAWL_TABLE_DETAILS, values);
  return PAWL_OK;
}

static pawl_status add_point(struct pawl_store *store, const struct pawl_history_run *run,
                             const struct pawl_history_point *point, struct pawl_error *err) {
  int64_t id;
  PAWL_TRY(pawl_batch_key(store, PAWL_TABLE_POINTS, &id, err));
  const struct pawl_sql_value row[] = {pawl_sql_integer(id),
                                       {0} /* the series */,
                                       pawl_sql_integer(store->last_run),
                                       pawl_sql_integer(run->time),
                                       pawl_sql_real(point->value),
                                       pawl_sql_real(point->low),
                                       pawl_sql_real(point->high),
                                       pawl_sql_count(point->samples),
                                       pawl_sql_text(pawl_outcome_name(point->outcome)),
                                       pawl_sql_text(point->reason),
                                       pawl_sql_text(point->code),
                                       pawl_sql_text(point->verdict),
                                       pawl_sql_real(point->change_pct),
                                       pawl_sql_real(point->change_low_pct),
                                       pawl_sql_real(point->change_high_pct),
                                       pawl_sql_text(point->anchor),
                                       pawl_sql_count(point->blocks),
                                       pawl_sql_integer(point->identical),
                                       pawl_sql_text(point->role),
                                       pawl_sql_text(point->machine),
                                       pawl_sql_real(point->base_sd_pct),
                                       pawl_sql_real(point->block_sd_pct),
                                       pawl_sql_real(point->false_alarm),
                                       pawl_sql_integer(store->last_place),
                                       pawl_sql_integer(run->dirty),
                                       pawl_sql_text(run->branch)};
  pawl_batch_add_point(store, run, point, row);
  PAWL_TRY(add_detail(store, point, id, err));
  return pawl_batch_is_full(store) ? pawl_batch_flush(store, err) : PAWL_OK;
}

static pawl_status store_add_move(struct pawl_store *store, const struct pawl_history_run *run,
                                  const struct pawl_baseline_move *move, struct pawl_error *err) {
  int64_t id;
  PAWL_TRY(pawl_batch_key(store, PAWL_TABLE_MOVES, &id, err));
  const struct pawl_sql_value row[] = {pawl_sql_integer(id),
                                       pawl_sql_integer(store->last_run),
                                       pawl_sql_integer(run->time),
                                       pawl_sql_text(move->kernel_name ? move->kernel_name : ""),
                                       pawl_sql_text(move->case_name ? move->case_name : ""),
                                       pawl_sql_text(move->hardware),
                                       pawl_sql_text(pawl_move_kind_name(move->kind)),
                                       pawl_sql_real(move->from_ms),
                                       pawl_sql_real(move->to_ms),
                                       pawl_sql_text(move->git_commit),
                                       pawl_sql_text(move->timestamp),
                                       pawl_sql_text(move->reason)};
  pawl_batch_add(store, PAWL_TABLE_MOVES, row);
  return PAWL_OK;
}

static pawl_status add_all(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err) {
  int64_t id;
  PAWL_TRY(pawl_place_of_run(store, run, &id, &store->last_place, err));
  *added = id != PAWL_STORE_NO_ID;
  store->last_run = id;
  if (!*added) return PAWL_OK;
  store_add_run(store, run, id);
  for (size_t i = 0; i < run->point_count; i++)
    PAWL_TRY(add_point(store, run, &run->points[i], err));
  for (size_t i = 0; i < run->move_count; i++)
    PAWL_TRY(store_add_move(store, run, &run->moves[i], err));
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
