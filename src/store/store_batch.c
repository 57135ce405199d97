/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

#define FULL_ROWS 1000
#define FULL_BYTES ((size_t)1 << 20)
#define SLOTS 16384 /* a power of two; 0.7 MB */

/* clang-format off */
static const struct pawl_sql_table tables[PAWL_STORE_TABLES] = {
    [PAWL_TABLE_COMMITS] = PAWL_SQL_TABLE("pawl_commits", 4, "id, time, subject, place"),
    [PAWL_TABLE_RUNS] = PAWL_SQL_TABLE("pawl_runs", 12, "id, uid, source, time, commit_id, branch,"
        " dirty, hardware, hardware_name, toolchain, verdict, seconds"),
    [PAWL_TABLE_ENVIRONMENTS] = PAWL_SQL_TABLE("pawl_environments", 3, "id, hash, document"),
    [PAWL_TABLE_SERIES] = PAWL_SQL_TABLE("pawl_series", 12, "id, hash, kernel, case_name, shape,"
        " hardware, hardware_name, unit, bigger_is_better, points, first_time, last_time"),
    [PAWL_TABLE_POINTS] = PAWL_SQL_TABLE("pawl_points", 26, "id, series, run, time, value, low, high,"
        " samples, outcome, reason, code, verdict, change_pct, change_low_pct, change_high_pct,"
        " anchor, blocks, identical, role, machine, base_sd_pct, block_sd_pct, false_alarm, place,"
        " dirty, branch"),
    [PAWL_TABLE_DETAILS] = PAWL_SQL_TABLE("pawl_details", 5, "point, environment, result,"
        " comparison, profile"),
    [PAWL_TABLE_MOVES] = PAWL_SQL_TABLE("pawl_moves", 12, "id, run, time, kernel, case_name, hardware,"
        " kind, from_ms, to_ms, commit_id, timestamp, reason"),
};
/* clang-format on */
#define POINT_SERIES 1 /* the column */

/* The series of a point in the batch. */
struct batch_series {
  char hash[PAWL_HASH_TEXT];
  size_t row;                          /* the index of its row of points */
  const struct pawl_sql_value *values; /* the row of the series, without its key */
};

struct batch_slot {
  char hash[PAWL_HASH_TEXT]; /* empty: the slot is free */
  int64_t id;
};

struct pawl_store_batch {
  struct pawl_arena arena;
  size_t bytes, row_count;
  struct {
    struct pawl_sql_value *values;
    size_t count, capacity; /* values */
  } rows[PAWL_STORE_TABLES];
  struct batch_series *series;
  size_t series_count, series_capacity;
  /* for the whole transaction */
  int64_t next[PAWL_STORE_TABLES]; /* 0: not read yet */
  struct batch_slot slots[SLOTS];
};

static struct pawl_store_batch *batch_of(struct pawl_store *store) {
  if (!store->batch) store->batch = pawl_alloc(1, sizeof *store->batch);
  return store->batch;
}

/* --- keys --- */

static enum pawl_status_code take_keys(void *context, const struct pawl_sql_value *columns,
                                       size_t count, struct pawl_error *err) {
  struct pawl_store_batch *batch = context;
  static const enum pawl_store_table keyed[] = {PAWL_TABLE_RUNS, PAWL_TABLE_ENVIRONMENTS,
                                                PAWL_TABLE_SERIES, PAWL_TABLE_POINTS,
                                                PAWL_TABLE_MOVES};
  (void)count, (void)err;
  for (size_t i = 0; i < PAWL_COUNT(keyed); i++)
    batch->next[keyed[i]] = pawl_sql_get_integer(&columns[i], 0) + 1;
  return PAWL_OK;
}

pawl_status pawl_batch_key(struct pawl_store *store, enum pawl_store_table table, int64_t *out,
                           struct pawl_error *err) {
  struct pawl_store_batch *batch = batch_of(store);
  if (!batch->next[table])
    PAWL_TRY(pawl_sql_query(store->sql,
                            "SELECT (SELECT max(id) FROM pawl_runs),"
                            " (SELECT max(id) FROM pawl_environments),"
                            " (SELECT max(id) FROM pawl_series),"
                            " (SELECT max(id) FROM pawl_points), (SELECT max(id) FROM pawl_moves)",
                            NULL, 0, take_keys, batch, err));
  *out = batch->next[table]++;
  return PAWL_OK;
}

/* --- rows --- */

static struct pawl_sql_value copy_value(struct pawl_store_batch *batch,
                                        const struct pawl_sql_value *value) {
  struct pawl_sql_value copy = *value;
  if (!value->bytes) return copy;
  char *bytes = pawl_arena_alloc(&batch->arena, value->length + 1, 1);
  memcpy(bytes, value->bytes, value->length);
  batch->bytes += value->length;
  copy.bytes = bytes;
  return copy;
}

void pawl_batch_add(struct pawl_store *store, enum pawl_store_table table,
                    const struct pawl_sql_value *values) {
  struct pawl_store_batch *batch = batch_of(store);
  for (size_t i = 0; i < tables[table].column_count; i++) {
    batch->rows[table].values =
        pawl_grow(batch->rows[table].values, batch->rows[table].count, &batch->rows[table].capacity,
                  sizeof *batch->rows[table].values);
    batch->rows[table].values[batch->rows[table].count++] = copy_value(batch, &values[i]);
  }
  batch->row_count++;
}

const struct pawl_sql_value *pawl_batch_find(const struct pawl_store *store,
                                             enum pawl_store_table table, size_t column,
                                             const char *text) {
  const struct pawl_store_batch *batch = store->batch;
  const size_t width = tables[table].column_count;
  for (size_t i = 0; batch && i < batch->rows[table].count; i += width)
    if (!strcmp(batch->rows[table].values[i + column].bytes, text))
      return &batch->rows[table].values[i];
  return NULL;
}

void pawl_batch_add_point(struct pawl_store *store, const struct pawl_history_run *run,
                          const struct pawl_history_point *point,
                          const struct pawl_sql_value *values) {
  struct pawl_store_batch *batch = batch_of(store);
  const char *const texts[] = {point->kernel_name, point->case_name, point->shape, run->hardware,
                               point->unit};
  const struct pawl_sql_value row[] = {{0},
                                       {0},
                                       pawl_sql_text(point->kernel_name),
                                       pawl_sql_text(point->case_name),
                                       pawl_sql_text(point->shape),
                                       pawl_sql_text(run->hardware),
                                       pawl_sql_text(run->hardware_name),
                                       pawl_sql_text(point->unit),
                                       pawl_sql_integer(point->bigger_is_better),
                                       pawl_sql_integer(0),
                                       pawl_sql_integer(run->time),
                                       pawl_sql_integer(run->time)};
  struct pawl_sql_value *copy = pawl_arena_alloc(&batch->arena, PAWL_COUNT(row), sizeof *copy);
  for (size_t i = 0; i < PAWL_COUNT(row); i++) copy[i] = copy_value(batch, &row[i]);
  batch->series =
      pawl_grow(batch->series, batch->series_count, &batch->series_capacity, sizeof *batch->series);
  struct batch_series *series = &batch->series[batch->series_count++];
  pawl_store_hash(texts, PAWL_COUNT(texts), series->hash);
  series->values = copy;
  series->row = batch->rows[PAWL_TABLE_POINTS].count;
  pawl_batch_add(store, PAWL_TABLE_POINTS, values);
}

bool pawl_batch_is_full(const struct pawl_store *store) {
  const struct pawl_store_batch *batch = store->batch;
  return batch && (batch->row_count >= FULL_ROWS || batch->bytes >= FULL_BYTES);
}

/* --- series --- */

static struct batch_slot *slot_of(struct pawl_store_batch *batch, const char *hash) {
  struct pawl_hash place;
  PAWL_ASSERT(pawl_hash_parse(hash, &place));
  return &batch->slots[place.low % SLOTS];
}

static void set_series(struct pawl_store_batch *batch, const struct batch_series *series,
                       int64_t id) {
  struct batch_slot *slot = slot_of(batch, series->hash);
  memcpy(slot->hash, series->hash, sizeof slot->hash);
  slot->id = id;
  batch->rows[PAWL_TABLE_POINTS].values[series->row + POINT_SERIES] = pawl_sql_integer(id);
}

static int compare_hashes(const void *a, const void *b) {
  return strcmp(((const struct batch_series *)a)->hash, ((const struct batch_series *)b)->hash);
}

static bool is_open(const struct pawl_store_batch *batch, const struct batch_series *series) {
  return batch->rows[PAWL_TABLE_POINTS].values[series->row + POINT_SERIES].kind == PAWL_SQL_NULL;
}

/* Sets a series that the database has. The list is in the order of hashes. */
static enum pawl_status_code batch_take_series(void *context, const struct pawl_sql_value *columns,
                                               size_t count, struct pawl_error *err) {
  struct pawl_store_batch *batch = context;
  const char *hash = pawl_sql_get_text(&columns[1]);
  struct batch_series key;
  (void)count, (void)err;
  memcpy(key.hash, hash, sizeof key.hash);
  const struct batch_series *found = bsearch(&key, batch->series, batch->series_count,
                                             sizeof *batch->series, compare_hashes),
                            *end = batch->series + batch->series_count;
  if (!found) return PAWL_OK;
  while (found > batch->series && !strcmp(found[-1].hash, hash)) found--;
  for (; found < end && !strcmp(found->hash, hash); found++)
    set_series(batch, found, pawl_sql_get_integer(&columns[0], 0));
  return PAWL_OK;
}

/* Finds the series that the transaction has not seen yet, all with one question. */
static pawl_status look_up_series(struct pawl_store *store, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text hashes = {0};
  for (size_t i = 0; i < batch->series_count; i++) {
    const struct batch_series *series = &batch->series[i];
    if (is_open(batch, series) && (!i || strcmp(series[-1].hash, series->hash) != 0))
      pawl_text_printf(&hashes, "%c\"%s\"", hashes.length ? ',' : '[', series->hash);
  }
  if (!hashes.length) return PAWL_OK;
  pawl_text_add(&hashes, "]");
  return pawl_sql_query(store->sql, store->series_by_hash.data,
                        PAWL_SQL_PARAMETERS(pawl_sql_text(hashes.data)), batch_take_series, batch,
                        err);
}

static pawl_status make_series(struct pawl_store *store, const struct batch_series *series,
                               struct pawl_error *err) {
  struct pawl_sql_value row[16];
  int64_t id;
  PAWL_TRY(pawl_batch_key(store, PAWL_TABLE_SERIES, &id, err));
  memcpy(row, series->values, tables[PAWL_TABLE_SERIES].column_count * sizeof *row);
  row[0] = pawl_sql_integer(id);
  row[1] = pawl_sql_text(series->hash);
  pawl_batch_add(store, PAWL_TABLE_SERIES, row);
  set_series(store->batch, series, id);
  return PAWL_OK;
}

/* Gives each point of the batch its series. */
static pawl_status resolve_series(struct pawl_store *store, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  for (size_t i = 0; i < batch->series_count; i++) {
    const struct batch_slot *slot = slot_of(batch, batch->series[i].hash);
    if (!strcmp(slot->hash, batch->series[i].hash)) set_series(batch, &batch->series[i], slot->id);
  }
  qsort(batch->series, batch->series_count, sizeof *batch->series, compare_hashes);
  PAWL_TRY(look_up_series(store, err));
  for (size_t i = 0; i < batch->series_count; i++) {
    const struct batch_series *series = &batch->series[i];
    if (!is_open(batch, series)) continue;
    if (i && !strcmp(series[-1].hash, series->hash))
      set_series(batch, series,
                 batch->rows[PAWL_TABLE_POINTS].values[series[-1].row + POINT_SERIES].integer);
    else
      PAWL_TRY(make_series(store, series, err));
  }
  return PAWL_OK;
}

/* --- the whole --- */

/* Counts the points that the batch has added to each series, which have the newest keys. SQLite
   reads the index of all points for GROUP BY series. The plus keeps it to the newest keys. */
static pawl_status count_points(struct pawl_store *store, int64_t first, struct pawl_error *err) {
  return pawl_sql_run(
      store->sql,
      "UPDATE pawl_series SET points = pawl_series.points + n.points,"
      " version = pawl_series.version + n.points,"
      " first_time = CASE WHEN pawl_series.points > 0 AND pawl_series.first_time < n.first_time"
      " THEN pawl_series.first_time ELSE n.first_time END,"
      " last_time = CASE WHEN pawl_series.points > 0 AND pawl_series.last_time > n.last_time"
      " THEN pawl_series.last_time ELSE n.last_time END"
      " FROM (SELECT +series AS series, count(*) AS points, min(time) AS first_time,"
      " max(time) AS last_time FROM pawl_points WHERE id >= $1 GROUP BY +series) AS n"
      " WHERE n.series = pawl_series.id",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(first)), err);
}

pawl_status pawl_batch_flush(struct pawl_store *store, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  if (!batch || !batch->row_count) return PAWL_OK;
  PAWL_TRY(resolve_series(store, err));
  const int64_t first =
      batch->series_count ? batch->rows[PAWL_TABLE_POINTS].values[0].integer : PAWL_STORE_NO_ID;
  for (size_t i = 0; i < PAWL_STORE_TABLES; i++) {
    const size_t rows = batch->rows[i].count / tables[i].column_count;
    if (rows)
      PAWL_TRY(
          store->sql->driver->insert(store->sql, &tables[i], batch->rows[i].values, rows, err));
    batch->rows[i].count = 0;
  }
  batch->series_count = batch->row_count = batch->bytes = 0;
  pawl_arena_clear(&batch->arena);
  return first == PAWL_STORE_NO_ID ? PAWL_OK : count_points(store, first, err);
}

void pawl_batch_drop(struct pawl_store *store) {
  struct pawl_store_batch *batch = store->batch;
  if (!batch) return;
  for (size_t i = 0; i < PAWL_STORE_TABLES; i++) pawl_free(batch->rows[i].values);
  pawl_free(batch->series);
  pawl_arena_clear(&batch->arena);
  pawl_free(batch);
  store->batch = NULL;
}
