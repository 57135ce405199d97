/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include "base/memory.h"
#include "store/schema.h"
#include "store/store_handle.h"

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
  pawl_store_word_points_by_id(store);
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

void pawl_store_close(struct pawl_store *store) {
  if (!store) return;
  store->sql->driver->close(store->sql);
  pawl_text_clear(&store->points_by_id);
  pawl_free(store);
}

void pawl_store_close_pointer(struct pawl_store **store) { pawl_store_close(*store); }

pawl_status pawl_store_begin(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(!store->in_transaction);
  PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->begin, err));
  store->in_transaction = true;
  return PAWL_OK;
}

pawl_status pawl_store_end(struct pawl_store *store, enum pawl_status_code status,
                           struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  store->in_transaction = false;
  return pawl_sql_end(store->sql, pawl_store_write_series(store, status, err), err);
}

pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  store->in_transaction = false;
  return pawl_sql_script(store->sql, "ROLLBACK", err);
}
