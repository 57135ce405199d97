/* SPDX-License-Identifier: Apache-2.0 */
/* The store's struct and functions that only its files share. */
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "store/sql.h"
#include "store/store.h"

#define PAWL_STORE_NO_ID (-1)

struct pawl_store_slot; /* a series that the transaction adds points to */

struct pawl_store {
  struct pawl_sql *sql;
  bool in_transaction;           /* between pawl_store_begin() and pawl_store_end() */
  int64_t last_run, last_place;  /* the run that the transaction added last */
  struct pawl_store_slot *slots; /* NULL: the transaction has added no point */
  struct pawl_text points_by_id; /* the query of pawl_store_points_by_id() for the back end */
};

/* Rolls back the transaction of pawl_store_begin(). */
pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err);

/* Hashes texts; NULL counts as "". */
void pawl_store_hash(const char *const *texts, size_t count, char out[PAWL_HASH_TEXT]);
/* Reads the id of the row whose hash is `hash`, or PAWL_STORE_NO_ID if there is none. The caller
 * holds the write lock, so nobody inserts the row meanwhile. */
pawl_status pawl_store_find(struct pawl_sql *sql, const char *query, const char *hash, int64_t *out,
                            struct pawl_error *err);
/* Finds the series of a point, or inserts it, and counts the point. */
pawl_status pawl_store_count_point(struct pawl_store *store, const struct pawl_history_run *run,
                                   const struct pawl_history_point *point, int64_t *out,
                                   struct pawl_error *err);
/* Ends the counting: if `status` is PAWL_OK, writes the counts. Returns the first failure. */
enum pawl_status_code pawl_store_write_series(struct pawl_store *store,
                                              enum pawl_status_code status, struct pawl_error *err);

void pawl_store_word_points_by_id(struct pawl_store *store);

/* Reads the moves of one run. */
pawl_status pawl_store_run_moves(struct pawl_store *store, int64_t run, struct pawl_arena *arena,
                                 struct pawl_baseline_move **out, size_t *count,
                                 struct pawl_error *err);
