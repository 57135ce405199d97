/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the store share. */
#ifndef PAWL_STORE_STORE_HANDLE_H
#define PAWL_STORE_STORE_HANDLE_H

#include "base/text.h"
#include "store/sql.h"
#include "store/store.h"

struct pawl_store {
  struct pawl_sql *sql;
  bool in_transaction; /* of pawl_store_begin() */
  int64_t last_run;    /* that was added in it */
  struct pawl_text
      points_by_id; /* the query of pawl_store_points_by_id(), in the words of the back end */
};

/* Ends what pawl_store_begin() began, and keeps nothing of it. */
pawl_status pawl_store_undo(struct pawl_store *store, struct pawl_error *err);

/* Sets points_by_id. */
void pawl_store_word_points_by_id(struct pawl_store *store);

/* The moves of one run. */
pawl_status pawl_store_run_moves(struct pawl_store *store, int64_t run, struct pawl_arena *arena,
                                 struct pawl_baseline_move **out, size_t *count,
                                 struct pawl_error *err);

#endif
