/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store_batch.h"

#include <string.h>

#include "base/count.h"
#include "base/memory.h"

#define FULL_ROWS 5000
#define FULL_BYTES ((size_t)1 << 20)

/* clang-format off */
static const struct pawl_sql_table tables[PAWL_STORE_TABLES] = {
    [PAWL_TABLE_COMMITS] = PAWL_SQL_TABLE("pawl_commits", 4, "id, time, subject, place"),
    [PAWL_TABLE_RUNS] = PAWL_SQL_TABLE("pawl_runs", 12, "id, uid, source, time, commit_id, branch,"
        " dirty, hardware, hardware_name, toolchain, verdict, seconds"),
    [PAWL_TABLE_MOVES] = PAWL_SQL_TABLE("pawl_moves", 12, "id, run, time, kernel, case_name, hardware,"
        " kind, from_ms, to_ms, commit_id, timestamp, reason"),
    [PAWL_TABLE_STAGED_RUNS] = PAWL_SQL_TABLE("pawl_staged_runs", 3, "id, run, place"),
    [PAWL_TABLE_ENVIRONMENTS] = PAWL_SQL_TABLE("pawl_staged_environments", 3, "id, hash, document"),
    [PAWL_TABLE_SERIES] = PAWL_SQL_TABLE("pawl_staged_series", 9, "id, hash, " PAWL_SERIES_COLUMNS),
    [PAWL_TABLE_POINTS] = PAWL_SQL_TABLE("pawl_staged_points", 26, "id, series, run, " PAWL_POINTS_COLUMNS),
    [PAWL_TABLE_DETAILS] = PAWL_SQL_TABLE("pawl_staged_details", 5, "point, environment, result,"
        " comparison, profile"),
};
/* clang-format on */

/* The tables whose columns have the types of a temporary table's. */
static const char *const models[PAWL_STORE_TABLES] = {
    [PAWL_TABLE_STAGED_RUNS] = "pawl_points", [PAWL_TABLE_ENVIRONMENTS] = "pawl_environments",
    [PAWL_TABLE_SERIES] = "pawl_series",      [PAWL_TABLE_POINTS] = "pawl_points",
    [PAWL_TABLE_DETAILS] = "pawl_details",
};

static struct pawl_store_batch *batch_of(struct pawl_store *store) {
  if (!store->batch) store->batch = pawl_alloc(1, sizeof *store->batch);
  return store->batch;
}

/* --- rows --- */

int64_t pawl_batch_number(struct pawl_store *store, enum pawl_store_table table) {
  return ++batch_of(store)->numbers[table];
}

void pawl_batch_add(struct pawl_store *store, enum pawl_store_table table,
                    const struct pawl_sql_value *values) {
  struct pawl_store_batch *batch = batch_of(store);
  const bool is_staged = table >= PAWL_TABLE_STAGED_RUNS;
  struct pawl_arena *arena = is_staged ? &batch->texts : &batch->kept;
  for (size_t i = 0; i < tables[table].column_count; i++) {
    struct pawl_sql_value value = values[i];
    if (value.kind == PAWL_SQL_TEXT || value.kind == PAWL_SQL_BLOB) {
      char *bytes = pawl_arena_alloc(arena, value.length + 1, 1);
      memcpy(bytes, value.bytes, value.length);
      value.bytes = bytes;
      if (is_staged) batch->bytes += value.length;
    }
    batch->rows[table].values =
        pawl_grow(batch->rows[table].values, batch->rows[table].count, &batch->rows[table].capacity,
                  sizeof *batch->rows[table].values);
    batch->rows[table].values[batch->rows[table].count++] = value;
  }
  batch->row_count += is_staged;
  if (table == PAWL_TABLE_POINTS) batch->runs[store->last_run - 1].points++;
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

int64_t pawl_batch_series(struct pawl_store *store, const struct pawl_history_run *run,
                          const struct pawl_history_point *point) {
  const char *const texts[] = {point->kernel_name, point->case_name, point->shape, run->hardware,
                               point->unit};
  char hash[PAWL_HASH_TEXT];
  const struct pawl_hash place = pawl_store_hash(texts, PAWL_COUNT(texts), hash);
  struct pawl_batch_slot *slot = &batch_of(store)->slots[place.low % PAWL_BATCH_SLOTS];
  if (!strcmp(slot->hash, hash)) return slot->number;
  memcpy(slot->hash, hash, sizeof hash);
  slot->number = pawl_batch_number(store, PAWL_TABLE_SERIES);
  const struct pawl_sql_value row[] = {pawl_sql_integer(slot->number),
                                       pawl_sql_text(hash),
                                       pawl_sql_text(point->kernel_name),
                                       pawl_sql_text(point->case_name),
                                       pawl_sql_text(point->shape),
                                       pawl_sql_text(run->hardware),
                                       pawl_sql_text(run->hardware_name),
                                       pawl_sql_text(point->unit),
                                       pawl_sql_integer(point->bigger_is_better)};
  pawl_batch_add(store, PAWL_TABLE_SERIES, row);
  return slot->number;
}

/* --- runs --- */

static bool is_waiting(const struct pawl_store_batch *batch, const char *id) {
  for (size_t i = 0; i < batch->run_count; i++)
    if (!strcmp(batch->runs[i].run.id, id)) return true;
  return false;
}

/* Without the lock the answer is for now: another writer may add the run before this one lands. */
static pawl_status is_known(struct pawl_store *store, const char *id, bool *out,
                            struct pawl_error *err) {
  int64_t key;
  PAWL_TRY(pawl_store_find(store->sql, "SELECT id FROM pawl_runs WHERE uid = $1", id, &key, err));
  *out = key != PAWL_STORE_NO_ID || is_waiting(batch_of(store), id);
  return PAWL_OK;
}

pawl_status pawl_batch_add_run(struct pawl_store *store, const struct pawl_history_run *run,
                               bool *added, struct pawl_error *err) {
  bool known;
  PAWL_TRY(is_known(store, run->id, &known, err));
  struct pawl_store_batch *batch = batch_of(store);
  struct pawl_arena *arena = &batch->kept;
  struct pawl_history_run copy = *run;
  const char **const texts[] = {&copy.id,     &copy.source,   &copy.commit,        &copy.subject,
                                &copy.branch, &copy.hardware, &copy.hardware_name, &copy.toolchain,
                                &copy.verdict};
  for (size_t i = 0; i < PAWL_COUNT(texts); i++) *texts[i] = pawl_arena_copy(arena, *texts[i]);
  batch->runs = pawl_grow(batch->runs, batch->run_count, &batch->run_capacity, sizeof *batch->runs);
  batch->runs[batch->run_count++] = (struct pawl_batch_run){.run = copy, .known = known};
  store->last_run = known ? PAWL_STORE_NO_ID : (int64_t)batch->run_count;
  *added = !known;
  return PAWL_OK;
}

void pawl_batch_next_part(struct pawl_store *store) {
  struct pawl_store_batch *batch = store->batch;
  struct pawl_batch_run part = batch->runs[store->last_run - 1];
  char id[PAWL_HASH_TEXT];
  if (part.points < (size_t)store->most_points) return;
  pawl_store_part_id(part.run.id, ++part.part, id);
  batch->runs[store->last_run - 1].run.id = pawl_arena_copy(&batch->kept, id);
  batch->runs[store->last_run - 1].goes_on = true;
  part.points = 0;
  batch->runs = pawl_grow(batch->runs, batch->run_count, &batch->run_capacity, sizeof *batch->runs);
  batch->runs[batch->run_count++] = part;
  store->last_run = (int64_t)batch->run_count;
}

/* --- temporary tables --- */

pawl_status pawl_batch_send(struct pawl_store *store, enum pawl_store_table first,
                            enum pawl_store_table last, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  for (size_t i = first; i <= last; i++) {
    const size_t rows = batch->rows[i].count / tables[i].column_count;
    if (rows)
      PAWL_TRY(
          store->sql->driver->insert(store->sql, &tables[i], batch->rows[i].values, rows, err));
    batch->rows[i].count = 0;
  }
  return PAWL_OK;
}

/* Makes the temporary tables anew, because an earlier transaction may have left some. */
static pawl_status make_staged(struct pawl_store *store, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = PAWL_TABLE_STAGED_RUNS; i < PAWL_STORE_TABLES; i++) {
    pawl_text_printf(&text, "DROP TABLE IF EXISTS %s;", tables[i].name);
    store->sql->driver->stage(&tables[i], models[i], &text);
  }
  return pawl_sql_script(store->sql, text.data, err);
}

static pawl_status send_staged(struct pawl_store *store, struct pawl_error *err) {
  if (!store->batch->staged) PAWL_TRY(make_staged(store, err));
  return pawl_batch_send(store, PAWL_TABLE_STAGED_RUNS, PAWL_TABLE_DETAILS, err);
}

pawl_status pawl_batch_stage(struct pawl_store *store, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  if (!batch->row_count) return PAWL_OK;
  const char *begin = store->sql->driver->begin_beside;
  if (store->has_lock || !begin)
    PAWL_TRY(send_staged(store, err));
  else {
    PAWL_TRY(pawl_sql_script(store->sql, begin, err));
    PAWL_TRY(pawl_sql_end(store->sql, send_staged(store, err), err));
  }
  batch->staged = true;
  batch->row_count = batch->bytes = 0;
  pawl_arena_clear(&batch->texts);
  return PAWL_OK;
}

int64_t pawl_batch_points(const struct pawl_store *store) {
  return store->batch ? store->batch->numbers[PAWL_TABLE_POINTS] : 0;
}

pawl_status pawl_batch_relieve(struct pawl_store *store, struct pawl_error *err) {
  const struct pawl_store_batch *batch = store->batch;
  const bool full = batch->row_count >= FULL_ROWS || batch->bytes >= FULL_BYTES;
  return full ? pawl_batch_stage(store, err) : PAWL_OK;
}

pawl_status pawl_batch_send_moves(struct pawl_store *store, size_t end, struct pawl_error *err) {
  struct pawl_store_batch *batch = store->batch;
  struct pawl_sql_value *values = batch->rows[PAWL_TABLE_MOVES].values;
  const size_t width = tables[PAWL_TABLE_MOVES].column_count,
               count = batch->rows[PAWL_TABLE_MOVES].count;
  size_t kept = 0, next = 0;
  for (; next < count && values[next + 1].integer <= (int64_t)end; next += width) {
    const int64_t run = batch->runs[values[next + 1].integer - 1].id;
    if (run == PAWL_STORE_NO_ID) continue;
    memmove(values + kept, values + next, width * sizeof *values);
    values[kept] = pawl_sql_integer(++batch->keys[PAWL_TABLE_MOVES]);
    values[kept + 1] = pawl_sql_integer(run);
    kept += width;
  }
  batch->rows[PAWL_TABLE_MOVES].count = kept;
  PAWL_TRY(pawl_batch_send(store, PAWL_TABLE_MOVES, PAWL_TABLE_MOVES, err));
  batch->rows[PAWL_TABLE_MOVES].count = count - next;
  if (count > next) memmove(values, values + next, (count - next) * sizeof *values);
  return PAWL_OK;
}

void pawl_batch_drop(struct pawl_store *store) {
  struct pawl_store_batch *batch = store->batch;
  store->environment_hash[0] = '\0';
  if (!batch) return;
  for (size_t i = 0; i < PAWL_STORE_TABLES; i++) pawl_free(batch->rows[i].values);
  pawl_free(batch->runs);
  pawl_arena_clear(&batch->texts);
  pawl_arena_clear(&batch->kept);
  pawl_free(batch);
  store->batch = NULL;
}
