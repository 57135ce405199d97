/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends the transactions of writers. */
#include "store/store_batch.h"

pawl_status pawl_store_begin(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(!store->in_transaction);
  PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->begin, err));
  store->in_transaction = true;
  return PAWL_OK;
}

/* Forgets what only the transaction knows. */
static void store_leave(struct pawl_store *store) {
  store->in_transaction = false;
  store->environment_hash[0] = '\0';
  pawl_batch_drop(store);
}

pawl_status pawl_store_end(struct pawl_store *store, enum pawl_status_code status,
                           struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  if (status == PAWL_OK) status = pawl_batch_flush(store, err);
  store_leave(store);
  return pawl_sql_end(store->sql, status, err);
}

pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  store_leave(store);
  return pawl_sql_script(store->sql, "ROLLBACK", err);
}
