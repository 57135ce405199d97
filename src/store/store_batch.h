/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the rows that a transaction adds and sends many at once, because a server answers each
 * statement only after a round trip. The writer holds the lock, so it counts up the keys itself. */
#pragma once

#include "store/store_handle.h"

enum pawl_store_table {
  PAWL_TABLE_COMMITS, /* in the order in which rows refer to earlier ones */
  PAWL_TABLE_RUNS,
  PAWL_TABLE_ENVIRONMENTS,
  PAWL_TABLE_SERIES,
  PAWL_TABLE_POINTS,
  PAWL_TABLE_DETAILS,
  PAWL_TABLE_MOVES,
  PAWL_STORE_TABLES
};

/* Places of columns that others look up. */
#define PAWL_COMMITS_ID 0
#define PAWL_RUNS_UID 1
#define PAWL_ENVIRONMENTS_HASH 1

/* Returns the next key of runs, environments or points. */
pawl_status pawl_batch_key(struct pawl_store *store, enum pawl_store_table table, int64_t *out,
                           struct pawl_error *err);
/* Adds a row to the batch; its texts are copied. `values` has the columns of the table. */
void pawl_batch_add(struct pawl_store *store, enum pawl_store_table table,
                    const struct pawl_sql_value *values);
/* Adds a row of the points, whose second column, the series, the batch finds or makes later. */
void pawl_batch_add_point(struct pawl_store *store, const struct pawl_history_run *run,
                          const struct pawl_history_point *point,
                          const struct pawl_sql_value *values);
/* Returns the row of the batch whose column has this text, or NULL. */
const struct pawl_sql_value *pawl_batch_find(const struct pawl_store *store,
                                             enum pawl_store_table table, size_t column,
                                             const char *text);
/* Returns whether the batch is large enough to send. */
bool pawl_batch_is_full(const struct pawl_store *store);
/* Sends the rows, and counts the new points of each series. */
pawl_status pawl_batch_flush(struct pawl_store *store, struct pawl_error *err);
/* Drops all rows and the keys. */
void pawl_batch_drop(struct pawl_store *store);
