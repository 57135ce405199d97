/* SPDX-License-Identifier: Apache-2.0 */
/* The branches of the history, and the one that makes the line. */
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "store/store_handle.h"

struct line_reading {
  struct pawl_arena *arena;
  const char *name;
};

static enum pawl_status_code take_name(void *context, const struct pawl_sql_value *columns,
                                       size_t count, struct pawl_error *err) {
  struct line_reading *reading = context;
  (void)count, (void)err;
  reading->name = pawl_arena_copy(reading->arena, pawl_sql_get_text(&columns[0]));
  return PAWL_OK;
}

/* The queries go from the surest answer to the last resort. */
static const char *const line_queries[] = {
    "SELECT branch FROM pawl_line",
    "SELECT branch FROM pawl_runs WHERE branch = 'main' LIMIT 1",
    "SELECT branch FROM pawl_runs WHERE branch = 'master' LIMIT 1",
    "SELECT branch FROM pawl_runs WHERE branch = 'trunk' LIMIT 1",
    ("SELECT branch FROM pawl_runs WHERE branch IS NOT NULL GROUP BY branch"
     " ORDER BY count(*) DESC, branch LIMIT 1"),
};

pawl_status pawl_store_line(struct pawl_store *store, struct pawl_arena *arena, const char **out,
                            struct pawl_error *err) {
  struct line_reading reading = {.arena = arena};
  for (size_t i = 0; i < PAWL_COUNT(line_queries) && !reading.name; i++)
    PAWL_TRY(pawl_sql_query(store->sql, line_queries[i], NULL, 0, take_name, &reading, err));
  *out = reading.name ? reading.name : "";
  return PAWL_OK;
}

struct branch_list {
  struct pawl_arena *arena;
  struct pawl_branch *items;
  size_t count;
};

static enum pawl_status_code take_branch(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct branch_list *list = context;
  (void)count, (void)err;
  list->items[list->count++] =
      (struct pawl_branch){pawl_arena_copy(list->arena, pawl_sql_get_text(&columns[0])),
                           pawl_sql_get_integer(&columns[1], 0)};
  return PAWL_OK;
}

pawl_status pawl_store_branches(struct pawl_store *store, int64_t series, struct pawl_arena *arena,
                                struct pawl_branch **out, size_t *count, struct pawl_error *err) {
  struct branch_list list = {
      .arena = arena, .items = pawl_arena_alloc(arena, PAWL_STORE_BRANCHES, sizeof *list.items)};
  PAWL_TRY(pawl_sql_query(
      store->sql,
      "SELECT coalesce(branch, ''), count(*) FROM pawl_points WHERE series = $1"
      " GROUP BY branch ORDER BY count(*) DESC, branch LIMIT $2",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(series), pawl_sql_integer(PAWL_STORE_BRANCHES)),
      take_branch, &list, err));
  *out = list.items;
  *count = list.count;
  return PAWL_OK;
}
