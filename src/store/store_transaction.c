/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends the transactions of writers. */
#include "store/store_batch.h"
#include "store/store_landing.h"

static void store_enter(struct pawl_store *store) {
  PAWL_ASSERT(!store->in_transaction);
  store->in_transaction = true;
}

void pawl_store_begin(struct pawl_store *store) {
  store->added = (struct pawl_store_added){0};
  store_enter(store);
}

/* Forgets what only the transaction knows. Returns whether the database has a transaction. */
static bool store_leave(struct pawl_store *store) {
  const bool has_lock = store->has_lock;
  store->in_transaction = store->has_lock = false;
  store->calls = 0;
  pawl_batch_drop(store);
  return has_lock;
}

pawl_status pawl_store_end(struct pawl_store *store, enum pawl_status_code status,
                           struct pawl_error *err) {
  if (!store->in_transaction) return status; /* pawl_store_give_way() failed */
  if (status == PAWL_OK) status = pawl_store_land(store, err);
  return store_leave(store) ? pawl_sql_end(store->sql, status, err) : status;
}

pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err) {
  PAWL_ASSERT(store->in_transaction);
  return store_leave(store) ? pawl_sql_script(store->sql, "ROLLBACK", err) : PAWL_OK;
}

#define TURN_CALLS 1000

/* Other writers get their turn while the next points come, which takes longer than their pause. */
pawl_status pawl_store_give_way(struct pawl_store *store, struct pawl_error *err) {
  if (++store->calls < TURN_CALLS && pawl_batch_points(store) < store->most_points) return PAWL_OK;
  PAWL_TRY(pawl_store_end(store, PAWL_OK, err));
  store_enter(store);
  return PAWL_OK;
}
