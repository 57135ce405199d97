/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the sides of a comparison by their names. Whole names go before digits that begin a commit,
 * as in git. */
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "build/git.h"
#include "store/comparison.h"
#include "store/store_handle.h"

#define LEAST_DIGITS 4 /* fewer name no commit */

struct name_reading {
  struct pawl_arena *arena;
  const char *name;
  int count;
};

static enum pawl_status_code comparison_side_take(void *context,
                                                  const struct pawl_sql_value *columns,
                                                  size_t count, struct pawl_error *err) {
  struct name_reading *reading = context;
  (void)count, (void)err;
  reading->name = pawl_arena_copy(reading->arena, pawl_sql_get_text(&columns[0]));
  reading->count++;
  return PAWL_OK;
}

static pawl_status look_up(struct pawl_store *store, const char *query, const char *name,
                           struct name_reading *out, struct pawl_error *err) {
  return pawl_sql_query(store->sql, query, PAWL_SQL_PARAMETERS(pawl_sql_text(name)),
                        comparison_side_take, out, err);
}

/* A whole name goes before one that goes on: importers give commits of any length. */
static pawl_status find_commit(struct pawl_store *store, const char *folder, const char *name,
                               struct name_reading *out, struct pawl_error *err) {
  (void)folder;
  if (strlen(name) < LEAST_DIGITS || !pawl_is_commit_id(name)) return PAWL_OK;
  PAWL_TRY(look_up(store, "SELECT id FROM pawl_commits WHERE id = $1", name, out, err));
  if (out->count) return PAWL_OK;
  PAWL_TRY(look_up(store,
                   "SELECT id FROM pawl_commits WHERE substr(id, 1, length($1)) = $1 LIMIT 2", name,
                   out, err));
  return out->count < 2 ? PAWL_OK
                        : pawl_fail(err, PAWL_USAGE,
                                    "the history has several commits that begin with '%s': give "
                                    "more digits",
                                    name);
}

static pawl_status find_branch(struct pawl_store *store, const char *folder, const char *name,
                               struct name_reading *out, struct pawl_error *err) {
  (void)folder;
  return look_up(store, "SELECT branch FROM pawl_runs WHERE branch = $1 LIMIT 1", name, out, err);
}

static pawl_status find_machine(struct pawl_store *store, const char *folder, const char *name,
                                struct name_reading *out, struct pawl_error *err) {
  (void)folder;
  return look_up(
      store,
      "SELECT CASE WHEN hardware = $1 THEN hardware ELSE hardware_name END FROM pawl_series"
      " WHERE hardware_name = $1 OR hardware = $1 LIMIT 1",
      name, out, err);
}

static pawl_status find_revision(struct pawl_store *store, const char *folder, const char *name,
                                 struct name_reading *out, struct pawl_error *err) {
  struct pawl_error ignored = {0};
  const char *commit;
  (void)store, (void)err;
  if (pawl_git_resolve(folder, name, out->arena, &commit, &ignored) != PAWL_OK) return PAWL_OK;
  out->name = commit;
  out->count = 1;
  return PAWL_OK;
}

static const struct side_meaning {
  const char *kind;
  pawl_status (*find)(struct pawl_store *store, const char *folder, const char *name,
                      struct name_reading *out, struct pawl_error *err);
} meanings[] = {{"branch", find_branch},
                {"machine", find_machine},
                {"commit", find_commit},
                {"commit", find_revision}};

/* Returns the kind that "KIND:NAME" names and moves *name behind it, or NULL. */
static const char *read_kind(const char **name) {
  for (size_t i = 0; i < PAWL_COUNT(meanings); i++) {
    const size_t length = strlen(meanings[i].kind);
    if (strncmp(*name, meanings[i].kind, length) != 0 || (*name)[length] != ':') continue;
    *name += length + 1;
    return meanings[i].kind;
  }
  return NULL;
}

pawl_status pawl_comparison_find(struct pawl_store *store, const char *folder, const char *name,
                                 struct pawl_arena *arena, struct pawl_comparison_side *out,
                                 struct pawl_error *err) {
  const char *rest = name, *wanted = read_kind(&rest);
  for (size_t i = 0; i < PAWL_COUNT(meanings); i++) {
    struct name_reading found = {.arena = arena};
    if (wanted && strcmp(wanted, meanings[i].kind) != 0) continue;
    PAWL_TRY(meanings[i].find(store, folder, rest, &found, err));
    if (!found.count) continue;
    *out =
        (struct pawl_comparison_side){pawl_arena_copy(arena, name), meanings[i].kind, found.name};
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_NO_INPUT,
                   "the history has no commit, branch or machine '%.100s', and git knows no such "
                   "revision",
                   name);
}
