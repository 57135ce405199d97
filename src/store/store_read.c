/* SPDX-License-Identifier: Apache-2.0 */
/* Reads series, points and moves from the tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/zip.h"
#include "store/place.h"
#include "store/store_handle.h"

/* --- series --- */

struct series_list {
  struct pawl_arena *arena;
  struct pawl_series *items;
  size_t count, capacity;
};

static enum pawl_status_code take_series(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct series_list *list = context;
  (void)count, (void)err;
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = (struct pawl_series){
      .id = pawl_sql_get_integer(&columns[0], 0),
      .kernel_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[1])),
      .case_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[2])),
      .shape = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[3])),
      .hardware = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[4])),
      .hardware_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[5])),
      .unit = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[6])),
      .bigger_is_better = pawl_sql_get_integer(&columns[7], 0),
      .points = pawl_sql_get_integer(&columns[8], 0),
      .first_time = pawl_sql_get_integer(&columns[9], 0),
      .last_time = pawl_sql_get_integer(&columns[10], 0),
      .version = pawl_sql_get_integer(&columns[11], 0),
  };
  return PAWL_OK;
}

/* Copies a growing list into an array in the arena. */
static void *into_arena(struct pawl_arena *arena, const void *items, size_t count, size_t size) {
  void *copy = pawl_arena_alloc(arena, count, size);
  if (count) memcpy(copy, items, count * size);
  return copy;
}

static int compare_series(const void *a, const void *b) {
  const struct pawl_series *left = a, *right = b;
  const char *const texts[][2] = {{left->kernel_name, right->kernel_name},
                                  {left->case_name, right->case_name},
                                  {left->shape, right->shape},
                                  {left->hardware, right->hardware},
                                  {left->unit, right->unit}};
  int order = 0;
  for (size_t i = 0; i < PAWL_COUNT(texts) && !order; i++)
    order = pawl_natural_compare(texts[i][0] ? texts[i][0] : "", texts[i][1] ? texts[i][1] : "");
  return order ? order : (left->id > right->id) - (left->id < right->id);
}

pawl_status pawl_store_series(struct pawl_store *store, const struct pawl_series_choice *choice,
                              struct pawl_arena *arena, struct pawl_series **out, size_t *count,
                              struct pawl_error *err) {
  struct series_list list = {.arena = arena};
  const enum pawl_status_code status = pawl_sql_query(
      store->sql,
      "SELECT id, kernel, case_name, shape, hardware, hardware_name, unit, bigger_is_better, "
      "points, first_time,"
      " last_time, version FROM pawl_series WHERE (CAST($1 AS TEXT) IS NULL OR kernel = $1)"
      " AND (CAST($2 AS TEXT) IS NULL OR case_name = $2) AND (CAST($3 AS TEXT) IS NULL OR hardware "
      "= $3)"
      " AND (CAST($4 AS BIGINT) = 0 OR id = $4) AND points > 0",
      PAWL_SQL_PARAMETERS(pawl_sql_text(choice->kernel_name), pawl_sql_text(choice->case_name),
                          pawl_sql_text(choice->hardware), pawl_sql_integer(choice->id)),
      take_series, &list, err);
  if (status == PAWL_OK) {
    *out = into_arena(arena, list.items, list.count, sizeof *list.items);
    *count = list.count;
    qsort(*out, *count, sizeof **out, compare_series);
  }
  pawl_free(list.items);
  return status;
}

/* --- points --- */

#define POINT_TEXTS 9

struct point_list {
  struct pawl_arena *arena;
  struct pawl_point *items;
  size_t count, capacity;
  const char *last[POINT_TEXTS]; /* the texts of the last point */
};

/* Copies the texts into the arena. Most texts are those of the point before. */
static void copy_texts(struct point_list *list, struct pawl_point *point) {
  const char **const texts[POINT_TEXTS] = {&point->outcome, &point->reason,  &point->code,
                                           &point->verdict, &point->anchor,  &point->source,
                                           &point->commit,  &point->subject, &point->branch};
  for (size_t i = 0; i < PAWL_COUNT(texts); i++) {
    const char *before = list->last[i];
    if (!before || !*texts[i] || strcmp(before, *texts[i]) != 0)
      before = pawl_arena_copy(list->arena, *texts[i]);
    list->last[i] = *texts[i] = before;
  }
}

static enum pawl_status_code store_read_take_point(void *context,
                                                   const struct pawl_sql_value *columns,
                                                   size_t count, struct pawl_error *err) {
  struct point_list *list = context;
  struct pawl_point point = {
      .id = pawl_sql_get_integer(&columns[0], 0),
      .run = pawl_sql_get_integer(&columns[1], 0),
      .time = pawl_sql_get_integer(&columns[2], 0),
      .value = pawl_sql_get_real(&columns[3]),
      .low = pawl_sql_get_real(&columns[4]),
      .high = pawl_sql_get_real(&columns[5]),
      .samples = pawl_sql_get_integer(&columns[6], -1),
      .outcome = pawl_sql_get_text(&columns[7]),
      .reason = pawl_sql_get_text(&columns[8]),
      .code = pawl_sql_get_text(&columns[9]),
      .verdict = pawl_sql_get_text(&columns[10]),
      .change_pct = pawl_sql_get_real(&columns[11]),
      .change_low_pct = pawl_sql_get_real(&columns[12]),
      .change_high_pct = pawl_sql_get_real(&columns[13]),
      .anchor = pawl_sql_get_text(&columns[14]),
      .blocks = pawl_sql_get_integer(&columns[15], -1),
      .identical = pawl_sql_get_integer(&columns[16], 0),
      .source = pawl_sql_get_text(&columns[17]),
      .commit = pawl_sql_get_text(&columns[18]),
      .branch = pawl_sql_get_text(&columns[19]),
      .dirty = pawl_sql_get_integer(&columns[20], 0),
      .commit_time = pawl_sql_get_integer(&columns[21], -1),
      .subject = pawl_sql_get_text(&columns[22]),
      .at = pawl_place_seconds(pawl_sql_get_integer(&columns[23], 0)),
      .limit_pct = pawl_sql_get_real(&columns[24]),
      .place_value = NAN,
  };
  (void)count, (void)err;
  copy_texts(list, &point);
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = point;
  return PAWL_OK;
}

static const char *points_by_id(struct pawl_store *store) {
  if (store->points_by_id.length) return store->points_by_id.data;
  pawl_text_printf(
      &store->points_by_id,
      "SELECT p.id, p.run, p.time, p.value, p.low, p.high, p.samples, p.outcome, p.reason, p.code,"
      " p.verdict, p.change_pct, p.change_low_pct, p.change_high_pct, p.anchor, p.blocks,"
      " p.identical, r.source, r.commit_id, r.branch, r.dirty, c.time, c.subject, p.place,"
      " p.limit_pct"
      " FROM pawl_points p JOIN pawl_runs r ON r.id = p.run"
      " LEFT JOIN pawl_commits c ON c.id = r.commit_id"
      " WHERE p.id IN (SELECT CAST(value AS BIGINT) FROM %s($1)) ORDER BY p.place, p.time, p.id",
      store->sql->driver->elements);
  return store->points_by_id.data;
}

pawl_status pawl_store_points_by_id(struct pawl_store *store, const int64_t *ids, size_t id_count,
                                    struct pawl_arena *arena, struct pawl_point **out,
                                    size_t *count, struct pawl_error *err) {
  struct point_list list = {.arena = arena};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text array = {0};
  for (size_t i = 0; i < id_count; i++)
    pawl_text_printf(&array, "%c%lld", i ? ',' : '[', (long long)ids[i]);
  pawl_text_add(&array, id_count ? "]" : "[]");
  const enum pawl_status_code status = pawl_sql_query(
      store->sql, points_by_id(store), PAWL_SQL_PARAMETERS(pawl_sql_text(array.data)),
      store_read_take_point, &list, err);
  if (status == PAWL_OK) {
    *out = into_arena(arena, list.items, list.count, sizeof *list.items);
    *count = list.count;
  }
  pawl_free(list.items);
  return status;
}

/* --- figures --- */

struct figure_list {
  struct pawl_figure *items;
  size_t count, capacity;
};

static enum pawl_status_code take_figure(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct figure_list *list = context;
  (void)count, (void)err;
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = (struct pawl_figure){.id = pawl_sql_get_integer(&columns[0], 0),
                                                    .place = pawl_sql_get_integer(&columns[1], 0),
                                                    .value = pawl_sql_get_real(&columns[2]),
                                                    .dirty = pawl_sql_get_integer(&columns[3], 0),
                                                    .line = pawl_sql_get_integer(&columns[4], 0)};
  return PAWL_OK;
}

/* Reads one place of the file, because an index holds all columns of the query. */
pawl_status pawl_store_figures(struct pawl_store *store, int64_t series, const char *branch,
                               struct pawl_arena *arena, struct pawl_figure **out, size_t *count,
                               struct pawl_error *err) {
  struct figure_list list = {0};
  const char *line;
  PAWL_TRY(pawl_store_line(store, arena, &line, err));
  if (!branch) branch = line;
  const enum pawl_status_code status = pawl_sql_query(
      store->sql,
      "SELECT id, place, value, dirty, CASE WHEN branch = $2 OR (branch IS NULL AND $3 = 1)"
      " THEN 1 ELSE 0 END FROM pawl_points WHERE series = $1 ORDER BY place, time, id",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(series), pawl_sql_text(branch),
                          pawl_sql_integer(!strcmp(branch, line))),
      take_figure, &list, err);
  if (status == PAWL_OK) {
    *out = into_arena(arena, list.items, list.count, sizeof *list.items);
    *count = list.count;
  }
  pawl_free(list.items);
  return status;
}

/* --- details --- */

struct detail {
  json_t *result, *comparison;
};

static enum pawl_status_code take_detail(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct detail *detail = context;
  const char *environment = pawl_sql_get_text(&columns[2]);
  (void)count;
  PAWL_TRY(pawl_unpack_json(columns[0].bytes, columns[0].length, &detail->result, err));
  PAWL_TRY(pawl_unpack_json(columns[1].bytes, columns[1].length, &detail->comparison, err));
  if (!environment || !json_is_object(detail->result)) return PAWL_OK;
  json_t *document;
  PAWL_TRY(pawl_json_parse(environment, strlen(environment), "the history", false, &document, err));
  pawl_json_set(detail->result, "environment", document);
  return PAWL_OK;
}

pawl_status pawl_store_detail(struct pawl_store *store, int64_t point, json_t **result,
                              json_t **comparison, struct pawl_error *err) {
  struct detail detail = {0};
  int64_t found;
  const struct pawl_sql_value id = pawl_sql_integer(point);
  PAWL_TRY(pawl_sql_number(store->sql, "SELECT id FROM pawl_points WHERE id = $1", &id, 1, -1,
                           &found, err));
  if (found < 0)
    return pawl_fail(err, PAWL_NO_INPUT, "the history has no point %lld", (long long)point);
  const enum pawl_status_code status =
      pawl_sql_query(store->sql,
                     "SELECT d.result, d.comparison, e.document FROM pawl_details d"
                     " LEFT JOIN pawl_environments e ON e.id = d.environment"
                     " WHERE d.point = $1",
                     &id, 1, take_detail, &detail, err);
  if (status != PAWL_OK) {
    json_decref(detail.result);
    json_decref(detail.comparison);
    return status;
  }
  *result = detail.result;
  *comparison = detail.comparison;
  return PAWL_OK;
}

static enum pawl_status_code take_profile(void *context, const struct pawl_sql_value *columns,
                                          size_t count, struct pawl_error *err) {
  (void)count;
  return pawl_unpack_json(columns[0].bytes, columns[0].length, context, err);
}

pawl_status pawl_store_profile(struct pawl_store *store, int64_t point, json_t **out,
                               struct pawl_error *err) {
  const struct pawl_sql_value id = pawl_sql_integer(point);
  json_t *profile = NULL;
  PAWL_TRY(pawl_sql_query(store->sql, "SELECT profile FROM pawl_details WHERE point = $1", &id, 1,
                          take_profile, &profile, err));
  *out = profile;
  return PAWL_OK;
}

/* --- moves --- */

struct move_list {
  struct pawl_arena *arena;
  struct pawl_baseline_move *items;
  size_t count, capacity;
};

static enum pawl_status_code take_move(void *context, const struct pawl_sql_value *columns,
                                       size_t count, struct pawl_error *err) {
  struct move_list *list = context;
  (void)count, (void)err;
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = (struct pawl_baseline_move){
      .kernel_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[0])),
      .case_name = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[1])),
      .hardware = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[2])),
      .kind = pawl_move_kind_parse(pawl_sql_get_text(&columns[3])),
      .from_ms = pawl_sql_get_real(&columns[4]),
      .to_ms = pawl_sql_get_real(&columns[5]),
      .git_commit = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[6])),
      .timestamp = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[7])),
      .reason = pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[8])),
  };
  return PAWL_OK;
}

#define MOVE_COLUMNS                                                                             \
  "SELECT kernel, case_name, hardware, kind, from_ms, to_ms, commit_id, timestamp, reason FROM " \
  "pawl_moves"

static pawl_status list_moves(struct pawl_sql *sql, const char *query,
                              const struct pawl_sql_value *parameters, size_t parameter_count,
                              struct pawl_arena *arena, struct pawl_baseline_move **out,
                              size_t *count, struct pawl_error *err) {
  struct move_list list = {.arena = arena};
  const enum pawl_status_code status =
      pawl_sql_query(sql, query, parameters, parameter_count, take_move, &list, err);
  if (status == PAWL_OK) {
    *out = into_arena(arena, list.items, list.count, sizeof *list.items);
    *count = list.count;
  }
  pawl_free(list.items);
  return status;
}

pawl_status pawl_store_moves(struct pawl_store *store, const struct pawl_series *series,
                             struct pawl_arena *arena, struct pawl_baseline_move **out,
                             size_t *count, struct pawl_error *err) {
  return list_moves(
      store->sql,
      MOVE_COLUMNS
      " WHERE kernel = $1 AND case_name = $2 AND coalesce(hardware, '') = $3"
      " ORDER BY time, id",
      PAWL_SQL_PARAMETERS(pawl_sql_text(series->kernel_name), pawl_sql_text(series->case_name),
                          pawl_sql_text(series->hardware ? series->hardware : "")),
      arena, out, count, err);
}

pawl_status pawl_store_run_moves(struct pawl_store *store, int64_t run, struct pawl_arena *arena,
                                 struct pawl_baseline_move **out, size_t *count,
                                 struct pawl_error *err) {
  const struct pawl_sql_value id = pawl_sql_integer(run);
  return list_moves(store->sql, MOVE_COLUMNS " WHERE run = $1 ORDER BY id", &id, 1, arena, out,
                    count, err);
}
