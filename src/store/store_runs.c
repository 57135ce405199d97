/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole runs from the tables. */
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/zip.h"
#include "store/store_handle.h"

struct id_list {
  int64_t *items;
  size_t count, capacity;
};

static enum pawl_status_code take_id(void *context, const struct pawl_sql_value *columns,
                                     size_t count, struct pawl_error *err) {
  struct id_list *list = context;
  (void)count, (void)err;
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = pawl_sql_get_integer(&columns[0], 0);
  return PAWL_OK;
}

pawl_status pawl_store_runs(struct pawl_store *store, struct pawl_arena *arena, int64_t **out,
                            size_t *count, struct pawl_error *err) {
  struct id_list list = {0};
  const enum pawl_status_code status = pawl_sql_query(
      store->sql, "SELECT id FROM pawl_runs ORDER BY time, id", NULL, 0, take_id, &list, err);
  if (status == PAWL_OK) {
    *out = pawl_arena_alloc(arena, list.count, sizeof **out);
    if (list.count) memcpy(*out, list.items, list.count * sizeof **out);
    *count = list.count;
  }
  pawl_free(list.items);
  return status;
}

struct run_reading {
  struct pawl_arena *arena;
  struct pawl_history_run *run;
  bool found;
};

static enum pawl_status_code store_runs_take_run(void *context,
                                                 const struct pawl_sql_value *columns, size_t count,
                                                 struct pawl_error *err) {
  struct run_reading *reading = context;
  struct pawl_history_run *run = reading->run;
  (void)count, (void)err;
  const char **const texts[] = {&run->id,     &run->source,   &run->commit,        &run->subject,
                                &run->branch, &run->hardware, &run->hardware_name, &run->toolchain,
                                &run->verdict};
  for (size_t i = 0; i < PAWL_COUNT(texts); i++)
    *texts[i] = pawl_arena_copy(reading->arena, pawl_sql_get_text(&columns[i]));
  const struct pawl_sql_value *rest = columns + PAWL_COUNT(texts);
  run->time = pawl_sql_get_integer(&rest[0], 0);
  run->commit_time = pawl_sql_get_integer(&rest[1], -1);
  run->dirty = pawl_sql_get_integer(&rest[2], 0);
  run->seconds = pawl_sql_get_real(&rest[3]);
  reading->found = true;
  return PAWL_OK;
}

struct point_reading {
  struct pawl_arena *arena;
  json_t *owner;
  struct pawl_history_point *items;
  size_t count, capacity;
};

static pawl_status take_documents(struct point_reading *reading,
                                  const struct pawl_sql_value *columns,
                                  struct pawl_history_point *point, struct pawl_error *err) {
  json_t *result = NULL, *comparison = NULL, *profile = NULL, *environment = NULL;
  const char *text = pawl_sql_get_text(&columns[2]);
  PAWL_TRY(pawl_unpack_json(columns[0].bytes, columns[0].length, &result, err));
  if (result) json_array_append_new(reading->owner, result);
  PAWL_TRY(pawl_unpack_json(columns[1].bytes, columns[1].length, &comparison, err));
  if (comparison) json_array_append_new(reading->owner, comparison);
  PAWL_TRY(pawl_unpack_json(columns[3].bytes, columns[3].length, &profile, err));
  if (profile) json_array_append_new(reading->owner, profile);
  if (text && json_is_object(result)) {
    PAWL_TRY(pawl_json_parse(text, strlen(text), "the history", false, &environment, err));
    pawl_json_set(result, "environment", environment);
  }
  point->result = result;
  point->comparison = comparison;
  point->profile = profile;
  return PAWL_OK;
}

static enum pawl_status_code store_runs_take_point(void *context,
                                                   const struct pawl_sql_value *columns,
                                                   size_t count, struct pawl_error *err) {
  struct point_reading *reading = context;
  struct pawl_history_point point;
  (void)count;
  pawl_history_point_init(&point);
  const char **const texts[] = {&point.kernel_name, &point.case_name, &point.shape,   &point.unit,
                                &point.reason,      &point.code,      &point.verdict, &point.anchor,
                                &point.role,        &point.machine};
  for (size_t i = 0; i < PAWL_COUNT(texts); i++)
    *texts[i] = pawl_arena_copy(reading->arena, pawl_sql_get_text(&columns[i]));
  const struct pawl_sql_value *rest = columns + PAWL_COUNT(texts);
  const char *outcome = pawl_sql_get_text(&rest[0]);
  if (!outcome || !pawl_outcome_parse(outcome, &point.outcome))
    return pawl_fail(err, PAWL_BAD_DATA, "the history holds a damaged point");
  point.bigger_is_better = pawl_sql_get_integer(&rest[1], 0);
  point.identical = pawl_sql_get_integer(&rest[2], 0);
  point.samples = pawl_sql_get_integer(&rest[3], -1);
  point.blocks = pawl_sql_get_integer(&rest[4], -1);
  double *const numbers[] = {&point.value,          &point.low,
                             &point.high,           &point.change_pct,
                             &point.change_low_pct, &point.change_high_pct,
                             &point.base_sd_pct,    &point.block_sd_pct,
                             &point.false_alarm};
  for (size_t i = 0; i < PAWL_COUNT(numbers); i++) *numbers[i] = pawl_sql_get_real(&rest[5 + i]);
  PAWL_TRY(take_documents(reading, rest + 14, &point, err));
  reading->items =
      pawl_grow(reading->items, reading->count, &reading->capacity, sizeof *reading->items);
  reading->items[reading->count++] = point;
  return PAWL_OK;
}

static pawl_status read_points(struct pawl_store *store, const struct pawl_sql_value *id,
                               struct point_reading *reading, struct pawl_error *err) {
  return pawl_sql_query(store->sql,
                        "SELECT s.kernel, s.case_name, s.shape, s.unit, p.reason, p.code, "
                        "p.verdict, p.anchor, p.role, p.machine, "
                        "p.outcome,"
                        " s.bigger_is_better, p.identical, p.samples, p.blocks, p.value, p.low, "
                        "p.high, p.change_pct, p.change_low_pct,"
                        " p.change_high_pct, p.base_sd_pct, p.block_sd_pct, p.false_alarm, "
                        "d.result, d.comparison, e.document, d.profile "
                        "FROM pawl_points p JOIN pawl_series s ON s.id "
                        "= p.series"
                        " LEFT JOIN pawl_details d ON d.point = p.id LEFT JOIN pawl_environments e "
                        "ON e.id = d.environment"
                        " WHERE p.run = $1 ORDER BY p.id",
                        id, 1, store_runs_take_point, reading, err);
}

pawl_status pawl_store_run(struct pawl_store *store, int64_t id, struct pawl_arena *arena,
                           json_t *owner, struct pawl_history_run *out, struct pawl_error *err) {
  struct pawl_history_run run;
  struct run_reading head = {arena, &run, false};
  struct point_reading points = {.arena = arena, .owner = owner};
  const struct pawl_sql_value key = pawl_sql_integer(id);
  pawl_history_run_init(&run);
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT r.uid, r.source, r.commit_id, c.subject, r.branch, r.hardware, r.hardware_name,"
      " r.toolchain, r.verdict, r.time, c.time, r.dirty, r.seconds FROM pawl_runs r"
      " LEFT JOIN pawl_commits c ON c.id = r.commit_id WHERE r.id = $1",
      &key, 1, store_runs_take_run, &head, err));
  if (!head.found)
    return pawl_fail(err, PAWL_NO_INPUT, "the history has no run %lld", (long long)id);
  enum pawl_status_code status = read_points(store, &key, &points, err);
  if (status == PAWL_OK) {
    run.points = pawl_arena_alloc(arena, points.count, sizeof *run.points);
    if (points.count) memcpy(run.points, points.items, points.count * sizeof *run.points);
    run.point_count = points.count;
    status = pawl_store_run_moves(store, id, arena, &run.moves, &run.move_count, err);
  }
  pawl_free(points.items);
  if (status == PAWL_OK) *out = run;
  return status;
}
