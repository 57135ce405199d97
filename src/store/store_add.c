/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a run to the tables. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/zip.h"
#include "store/store_batch.h"
#include "store/store_landing.h"

#define MOST_RUNS 1000 /* that wait in memory */

/* Keeps an environment once: all rows of a run share it, and mostly all runs of a machine. */
static void add_environment(struct pawl_store *store, const json_t *environment, int64_t *out) {
  char hash[PAWL_HASH_TEXT];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  *out = PAWL_STORE_NO_ID;
  if (!json_is_object(environment)) return;
  pawl_json_write_text(environment, true, &text);
  const char *const texts[] = {pawl_text_string(&text)};
  pawl_store_hash(texts, 1, hash);
  if (!strcmp(hash, store->environment_hash)) {
    *out = store->environment;
    return;
  }
  const struct pawl_sql_value *waiting =
      pawl_batch_find(store, PAWL_TABLE_ENVIRONMENTS, PAWL_ENVIRONMENTS_HASH, hash);
  if (waiting)
    *out = waiting[0].integer;
  else {
    *out = pawl_batch_number(store, PAWL_TABLE_ENVIRONMENTS);
    const struct pawl_sql_value row[] = {pawl_sql_integer(*out), pawl_sql_text(hash),
                                         pawl_sql_text(*texts)};
    pawl_batch_add(store, PAWL_TABLE_ENVIRONMENTS, row);
  }
  memcpy(store->environment_hash, hash, sizeof hash);
  store->environment = *out;
}

static void add_detail(struct pawl_store *store, const struct pawl_history_point *point,
                       int64_t id) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text result = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text comparison = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text profile = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *row = NULL;
  int64_t environment = PAWL_STORE_NO_ID;
  if (!point->result && !point->comparison && !point->profile) return;
  if (point->result) {
    row = json_copy((json_t *)(uintptr_t)point->result);
    add_environment(store, json_object_get(row, "environment"), &environment);
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
}

/* The row of results.json has the score. Its details may go later, and then the score stays. */
static double limit_pct_of(const struct pawl_history_point *point) {
  const json_t *roofline = json_object_get(point->result, "roofline"),
               *percent = json_object_get(roofline, "efficiency_pct");
  return json_number_value(percent) > 0 ? json_number_value(percent) : (double)NAN;
}

static pawl_status add_point(struct pawl_store *store, const struct pawl_history_run *run,
                             const struct pawl_history_point *point, struct pawl_error *err) {
  pawl_batch_next_part(store);
  const int64_t id = pawl_batch_number(store, PAWL_TABLE_POINTS);
  const struct pawl_sql_value row[] = {pawl_sql_integer(id),
                                       pawl_sql_integer(pawl_batch_series(store, run, point)),
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
                                       pawl_sql_integer(run->dirty),
                                       pawl_sql_text(run->branch),
                                       pawl_sql_real(limit_pct_of(point))};
  pawl_batch_add(store, PAWL_TABLE_POINTS, row);
  add_detail(store, point, id);
  return pawl_batch_relieve(store, err);
}

static void store_add_move(struct pawl_store *store, const struct pawl_history_run *run,
                           const struct pawl_baseline_move *move) {
  const struct pawl_sql_value row[] = {{0} /* the key */,
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
}

static pawl_status add_all(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err) {
  if (store->batch && store->batch->run_count >= MOST_RUNS) PAWL_TRY(pawl_store_land(store, err));
  PAWL_TRY(pawl_batch_add_run(store, run, added, err));
  if (!*added) return PAWL_OK;
  for (size_t i = 0; i < run->point_count; i++)
    PAWL_TRY(add_point(store, run, &run->points[i], err));
  for (size_t i = 0; i < run->move_count; i++) store_add_move(store, run, &run->moves[i]);
  return PAWL_OK;
}

pawl_status pawl_store_add(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err) {
  const bool alone = !store->in_transaction;
  bool done = false;
  if (alone) pawl_store_begin(store);
  enum pawl_status_code status = add_all(store, run, &done, err);
  if (alone) {
    status = pawl_store_end(store, status, err);
    done = store->added.runs > 0;
  }
  if (status == PAWL_OK && added) *added = done;
  return status;
}

pawl_status pawl_store_add_point(struct pawl_store *store, const struct pawl_history_run *run,
                                 const struct pawl_history_point *point, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction && store->last_run > 0);
  return add_point(store, run, point, err);
}

struct pawl_store_added pawl_store_added(const struct pawl_store *store) {
  return store->added;
}
