/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends the transactions of writers. */
#include "base/clock.h"
#include "store/store_batch.h"

pawl_status pawl_store_begin(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(!store->in_transaction);
  PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->begin, err));
  store->in_transaction = true;
  store->begun_ns = pawl_clock_ns();
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
  if (!store->in_transaction) return status; /* pawl_store_give_way() failed */
  if (status == PAWL_OK) status = pawl_batch_flush(store, err);
  store_leave(store);
  return pawl_sql_end(store->sql, status, err);
}

pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  store_leave(store);
  return pawl_sql_script(store->sql, "ROLLBACK", err);
}

#define TURN 0.5   /* seconds */
#define PAUSE 0.15 /* seconds; SQLite's writers ask again after at most 0.1 */

pawl_status pawl_store_give_way(struct pawl_store *store, struct pawl_error *err) {
  if (pawl_seconds_since(store->begun_ns) < TURN) return PAWL_OK;
  PAWL_TRY(pawl_store_end(store, PAWL_OK, err));
  pawl_sleep_seconds(PAUSE);
  return pawl_store_begin(store, err);
}
