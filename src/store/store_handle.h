/* SPDX-License-Identifier: Apache-2.0 */
/* The store's struct and functions that only its files share. */
#pragma once

#include "base/hash.h"
#include "base/text.h"
#include "store/sql.h"
#include "store/store.h"

#define PAWL_STORE_NO_ID (-1)

struct pawl_store_batch; /* the rows that the transaction adds, see store_batch.h */

struct pawl_found_summary; /* an answer of series_summary.h that the tables do not have yet */

struct pawl_store {
  struct pawl_sql *sql;
  bool in_transaction; /* between pawl_store_begin() and pawl_store_end() */
  bool has_lock;       /* the transaction keeps other writers out */
  int64_t most_points; /* that land with one lock; a run with more is kept in parts */
  int64_t last_run;    /* the number in the batch of the run that came last */
  struct pawl_store_added added;
  int calls;                      /* the transaction counts them in pawl_store_give_way() */
  struct pawl_store_batch *batch; /* NULL: the transaction has added nothing */
  /* the environment that the transaction used last */
  char environment_hash[PAWL_HASH_TEXT];
  int64_t environment;
  struct pawl_found_summary *found;
  size_t found_count;
  struct pawl_arena found_arena;
  /* a query that names a function of the back end; empty before the first use */
  struct pawl_text points_by_id;
};

/* Takes the lock of writers, unless the transaction has it. */
pawl_status pawl_store_lock(struct pawl_store *store, struct pawl_error *err);
/* Rolls back the transaction of pawl_store_begin(). */
pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err);

/* Writes the id of a part of a run, from 1. The last part has the id of the run. */
void pawl_store_part_id(const char *run, int part, char out[PAWL_HASH_TEXT]);

/* Hashes texts; NULL counts as "". `out` is the text of the hash. */
struct pawl_hash pawl_store_hash(const char *const *texts, size_t count, char out[PAWL_HASH_TEXT]);
/* Reads the id of the row whose hash is `hash`, or PAWL_STORE_NO_ID if there is none. The caller
 * holds the write lock, so nobody inserts the row meanwhile. */
pawl_status pawl_store_find(struct pawl_sql *sql, const char *query, const char *hash, int64_t *out,
                            struct pawl_error *err);

/* Reads the moves of one run. */
pawl_status pawl_store_run_moves(struct pawl_store *store, int64_t run, struct pawl_arena *arena,
                                 struct pawl_baseline_move **out, size_t *count,
                                 struct pawl_error *err);
