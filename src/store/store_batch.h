/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a transaction adds. They wait in temporary tables of the connection, under numbers
 * of their own, while other writers work. pawl_store_land() takes the lock and moves them with a
 * few statements, so the lock lasts a small part of the time that the rows cost. Many points land
 * in slices, and between two slices the lock is free. */
#pragma once

#include "store/store_handle.h"

enum pawl_store_table {
  /* the writer has the lock and adds rows to the tables, in this order */
  PAWL_TABLE_COMMITS,
  PAWL_TABLE_RUNS,
  PAWL_TABLE_MOVES,
  /* rows of temporary tables */
  PAWL_TABLE_STAGED_RUNS,
  PAWL_TABLE_ENVIRONMENTS,
  PAWL_TABLE_SERIES,
  PAWL_TABLE_POINTS,
  PAWL_TABLE_DETAILS,
  PAWL_STORE_TABLES
};

/* Places of columns that others look up. */
#define PAWL_COMMITS_ID 0
#define PAWL_RUNS_UID 1
#define PAWL_ENVIRONMENTS_HASH 1

#define PAWL_SERIES_COLUMNS \
  "kernel, case_name, shape, hardware, hardware_name, unit, bigger_is_better"
#define PAWL_POINTS_COLUMNS                                                                      \
  "time, value, low, high, samples, outcome, reason, code, verdict, change_pct, change_low_pct," \
  " change_high_pct, anchor, blocks, identical, role, machine, base_sd_pct, block_sd_pct,"       \
  " false_alarm, dirty, branch, limit_pct"

#define PAWL_BATCH_SLOTS 16384 /* a power of two; 0.7 MB */

struct pawl_batch_slot {
  char hash[PAWL_HASH_TEXT]; /* empty: the slot is free */
  int64_t number;
};

struct pawl_batch_run {
  struct pawl_history_run run; /* without points and moves */
  bool known;                  /* the history has the run, and the batch has no rows of it */
  size_t points;
  int part;     /* the parts before this one */
  bool goes_on; /* another part follows, which counts for the run */
  int64_t id, place;
};

struct pawl_store_batch {
  struct pawl_arena texts; /* rows for temporary tables use it */
  struct pawl_arena kept;  /* all other rows use it */
  size_t bytes, row_count;
  struct {
    struct pawl_sql_value *values;
    size_t count, capacity; /* values */
  } rows[PAWL_STORE_TABLES];
  struct pawl_batch_run *runs; /* by their numbers, which start at 1 */
  size_t run_count, run_capacity;
  bool staged;                        /* the temporary tables have rows */
  int64_t numbers[PAWL_STORE_TABLES]; /* the last ones */
  int64_t keys[PAWL_STORE_TABLES];    /* the largest ones of the tables */
  struct pawl_batch_slot slots[PAWL_BATCH_SLOTS];
};

/* Counts a row of a temporary table, from 1. */
int64_t pawl_batch_number(struct pawl_store *store, enum pawl_store_table table);
/* Adds a run without its points and makes it store->last_run. *added is false if the history or the
 * batch has the run. */
pawl_status pawl_batch_add_run(struct pawl_store *store, const struct pawl_history_run *run,
                               bool *added, struct pawl_error *err);
/* Before a point comes: if the last run has most_points, it ends, and the next part of it becomes
 * store->last_run. The last part keeps the id, so that a run whose id the history has is whole. */
void pawl_batch_next_part(struct pawl_store *store);
/* Adds a row to the batch; its texts are copied. `values` has the columns of the table. */
void pawl_batch_add(struct pawl_store *store, enum pawl_store_table table,
                    const struct pawl_sql_value *values);
/* Returns the number of the series of a point, which it adds to the batch if it is new there. */
int64_t pawl_batch_series(struct pawl_store *store, const struct pawl_history_run *run,
                          const struct pawl_history_point *point);
/* Returns the row of the batch whose column has this text, or NULL. */
const struct pawl_sql_value *pawl_batch_find(const struct pawl_store *store,
                                             enum pawl_store_table table, size_t column,
                                             const char *text);
/* Returns the number of the points that wait. */
int64_t pawl_batch_points(const struct pawl_store *store);
/* Moves the rows from memory to the temporary tables if there are many. */
pawl_status pawl_batch_relieve(struct pawl_store *store, struct pawl_error *err);
/* Moves all rows for temporary tables there. */
pawl_status pawl_batch_stage(struct pawl_store *store, struct pawl_error *err);
/* Sends the rows of the tables from `first` to `last` to the database. */
pawl_status pawl_batch_send(struct pawl_store *store, enum pawl_store_table first,
                            enum pawl_store_table last, struct pawl_error *err);
/* Sends the moves of the runs up to number `end` with the keys of their runs, and drops the moves
 * of known runs. */
pawl_status pawl_batch_send_moves(struct pawl_store *store, size_t end, struct pawl_error *err);
/* Drops all rows. */
void pawl_batch_drop(struct pawl_store *store);
