/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a point's surroundings: the noise of its machine, and the other kernels on its case. */
#include <string.h>

#include "base/memory.h"
#include "store/store_handle.h"

/* A growing list whose rows end up in the arena. */
struct row_list {
  struct pawl_arena *arena;
  void *items;
  size_t count, capacity;
};

static void into_arena(struct row_list *list, size_t size, void **out, size_t *count) {
  *out = pawl_arena_alloc(list->arena, list->count, size);
  if (list->count) memcpy(*out, list->items, list->count * size);
  *count = list->count;
}

/* --- one point --- */

struct noise_reading {
  struct pawl_arena *arena;
  struct pawl_point_noise noise;
  bool found;
};

static enum pawl_status_code take_noise(void *context, const struct pawl_sql_value *columns,
                                        size_t count, struct pawl_error *err) {
  struct noise_reading *reading = context;
  (void)count, (void)err;
  reading->found = true;
  reading->noise = (struct pawl_point_noise){
      .role = pawl_arena_copy(reading->arena, pawl_sql_get_text(&columns[0])),
      .machine = pawl_arena_copy(reading->arena, pawl_sql_get_text(&columns[1])),
      .base_sd_pct = pawl_sql_get_real(&columns[2]),
      .block_sd_pct = pawl_sql_get_real(&columns[3]),
      .false_alarm = pawl_sql_get_real(&columns[4])};
  return PAWL_OK;
}

pawl_status pawl_store_noise(struct pawl_store *store, int64_t point, struct pawl_arena *arena,
                             struct pawl_point_noise *out, struct pawl_error *err) {
  struct noise_reading reading = {.arena = arena};
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT role, machine, base_sd_pct, block_sd_pct, false_alarm FROM pawl_points WHERE id = $1",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(point)), take_noise, &reading, err));
  if (!reading.found)
    return pawl_fail(err, PAWL_NO_INPUT, "the history has no point %lld", (long long)point);
  *out = reading.noise;
  return PAWL_OK;
}

/* --- the same case --- */

static enum pawl_status_code take_beside(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct row_list *list = context;
  struct pawl_beside *rows;
  (void)count, (void)err;
  list->items = rows = pawl_grow(list->items, list->count, &list->capacity, sizeof *rows);
  rows[list->count++] = (struct pawl_beside){
      .series = pawl_sql_get_integer(&columns[0], 0),
      .time = pawl_sql_get_integer(&columns[1], 0),
      .kernel_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[2])),
      .role = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[3])),
      .value = pawl_sql_get_real(&columns[4])};
  return PAWL_OK;
}

pawl_status pawl_store_beside(struct pawl_store *store, const struct pawl_series *series,
                              struct pawl_arena *arena, struct pawl_beside **out, size_t *count,
                              struct pawl_error *err) {
  struct row_list list = {.arena = arena};
  void *rows = NULL;
  const char *line;
  PAWL_TRY(pawl_store_line(store, arena, &line, err));
  const enum pawl_status_code status = pawl_sql_query(
      store->sql,
      "SELECT s.id, p.time, s.kernel, p.role, p.value FROM pawl_series s JOIN pawl_points p ON "
      "p.id ="
      " coalesce((SELECT n.id FROM pawl_points n WHERE n.series = s.id AND n.value IS NOT NULL AND"
      " n.dirty = 0 AND (n.branch IS NULL OR n.branch = $7)"
      " ORDER BY n.place DESC, n.time DESC, n.id DESC LIMIT 1),"
      " (SELECT n.id FROM pawl_points n WHERE n.series = s.id AND n.value IS NOT NULL"
      " ORDER BY n.place DESC, n.time DESC, n.id DESC LIMIT 1))"
      " WHERE s.case_name = $1 AND s.shape = $2 AND coalesce(s.hardware, '') = $3 AND s.unit = $4 "
      "AND s.id <> $5"
      " ORDER BY p.value, s.id LIMIT $6",
      PAWL_SQL_PARAMETERS(pawl_sql_text(series->case_name), pawl_sql_text(series->shape),
                          pawl_sql_text(series->hardware ? series->hardware : ""),
                          pawl_sql_text(series->unit), pawl_sql_integer(series->id),
                          pawl_sql_integer(PAWL_STORE_BESIDE), pawl_sql_text(line)),
      take_beside, &list, err);
  if (status == PAWL_OK) {
    into_arena(&list, sizeof **out, &rows, count);
    *out = rows;
  }
  pawl_free(list.items);
  return status;
}

/* --- machines --- */

static enum pawl_status_code take_machine(void *context, const struct pawl_sql_value *columns,
                                          size_t count, struct pawl_error *err) {
  struct row_list *list = context;
  struct pawl_machine_run *rows;
  (void)count, (void)err;
  list->items = rows = pawl_grow(list->items, list->count, &list->capacity, sizeof *rows);
  rows[list->count++] = (struct pawl_machine_run){
      .machine = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[0])),
      .hardware_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[1])),
      .commit = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[2])),
      .time = pawl_sql_get_integer(&columns[3], 0),
      .comparisons = pawl_sql_get_integer(&columns[4], 0),
      .regressions = pawl_sql_get_integer(&columns[5], 0),
      .improvements = pawl_sql_get_integer(&columns[6], 0),
      .base_sd_pct = pawl_sql_get_real(&columns[7]),
      .relative = pawl_sql_get_real(&columns[8]),
      .block_sd_pct = pawl_sql_get_real(&columns[9]),
      .false_alarm = pawl_sql_get_real(&columns[10])};
  return PAWL_OK;
}

pawl_status pawl_store_machines(struct pawl_store *store, int64_t most, struct pawl_arena *arena,
                                struct pawl_machine_run **out, size_t *count,
                                struct pawl_error *err) {
  struct row_list list = {.arena = arena};
  void *rows = NULL;
  const enum pawl_status_code status = pawl_sql_query(
      store->sql,
      "SELECT n.machine, r.hardware_name, r.commit_id, r.time, count(*),"
      " sum(CASE WHEN n.verdict = 'regression' THEN 1 ELSE 0 END),"
      " sum(CASE WHEN n.verdict = 'improvement' THEN 1 ELSE 0 END),"
      " avg(n.base_sd_pct), avg(n.base_sd_pct / nullif(n.usual, 0)), avg(n.block_sd_pct), "
      "sum(n.false_alarm)"
      " FROM (SELECT p.machine, p.run, p.verdict, p.base_sd_pct, p.block_sd_pct, p.false_alarm,"
      " avg(p.base_sd_pct) OVER (PARTITION BY p.series) AS usual FROM pawl_points p JOIN"
      " (SELECT id FROM pawl_points WHERE machine IS NOT NULL ORDER BY time DESC, id DESC LIMIT "
      "$1) AS newest"
      " ON newest.id = p.id) AS n JOIN pawl_runs r ON r.id = n.run"
      " GROUP BY n.machine, r.id, r.hardware_name, r.commit_id, r.time ORDER BY n.machine, r.time, "
      "r.id",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(most)), take_machine, &list, err);
  if (status == PAWL_OK) {
    into_arena(&list, sizeof **out, &rows, count);
    *out = rows;
  }
  pawl_free(list.items);
  return status;
}
