/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <stdio.h>

#include "base/memory.h"
#include "store/schema.h"
#include "store/store_handle.h"

#define MOST_POINTS 25000 /* SQLite adds them in .3 s, beside a million series */

pawl_status pawl_store_open(const char *address, const char *folder, struct pawl_log *log,
                            struct pawl_store **out, struct pawl_error *err) {
  const struct pawl_sql_driver *driver;
  struct pawl_sql_open options = {.folder = folder, .log = log};
  struct pawl_sql *sql;
  PAWL_TRY(pawl_sql_find(address, &driver, &options.target, err));
  PAWL_TRY(driver->open(&options, &sql, err));
  const enum pawl_status_code status = pawl_schema_update(sql, err);
  if (status != PAWL_OK) {
    sql->driver->close(sql);
    return status;
  }
  struct pawl_store *store = pawl_alloc(1, sizeof *store);
  store->sql = sql;
  store->most_points = MOST_POINTS;
  *out = store;
  return PAWL_OK;
}

pawl_status pawl_store_exists(const char *address, const char *folder, bool *out,
                              struct pawl_error *err) {
  const struct pawl_sql_driver *driver;
  struct pawl_sql_open options = {.folder = folder};
  PAWL_TRY(pawl_sql_find(address, &driver, &options.target, err));
  *out = !driver->exists || driver->exists(&options);
  return PAWL_OK;
}

static enum pawl_status_code take_stamp(void *context, const struct pawl_sql_value *columns,
                                        size_t count, struct pawl_error *err) {
  const char *text = pawl_sql_get_text(&columns[0]);
  (void)count, (void)err;
  if (text) pawl_text_add(context, text);
  return PAWL_OK;
}

pawl_status pawl_store_stamp(struct pawl_store *store, struct pawl_text *out,
                             struct pawl_error *err) {
  return pawl_sql_query(store->sql, store->sql->driver->stamp, NULL, 0, take_stamp, out, err);
}

pawl_status pawl_store_lock(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  if (store->has_lock) return PAWL_OK;
  PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->begin, err));
  store->has_lock = true;
  return PAWL_OK;
}

struct pawl_hash pawl_store_hash(const char *const *texts, size_t count, char out[PAWL_HASH_TEXT]) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (size_t i = 0; i < count; i++) pawl_hasher_add_string(&hasher, texts[i] ? texts[i] : "");
  const struct pawl_hash hash = pawl_hasher_finish(&hasher);
  pawl_hash_format(hash, out);
  return hash;
}

void pawl_store_part_id(const char *run, int part, char out[PAWL_HASH_TEXT]) {
  char number[16];
  snprintf(number, sizeof number, "%d", part);
  pawl_store_hash((const char *const[]){run, "part", number}, 3, out);
}

pawl_status pawl_store_find(struct pawl_sql *sql, const char *query, const char *hash, int64_t *out,
                            struct pawl_error *err) {
  return pawl_sql_number(sql, query, PAWL_SQL_PARAMETERS(pawl_sql_text(hash)), PAWL_STORE_NO_ID,
                         out, err);
}

void pawl_store_close(struct pawl_store *store) {
  if (!store) return;
  store->sql->driver->close(store->sql);
  pawl_text_clear(&store->points_by_id);
  pawl_arena_clear(&store->found_arena);
  pawl_free(store);
}

void pawl_store_close_pointer(struct pawl_store **store) { pawl_store_close(*store); }
