/* SPDX-License-Identifier: Apache-2.0 */
#include "store/ancestry.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "build/git.h"
#include "build/git_run.h"
#include "build/words.h"
#include "store/place.h"
#include "store/store_handle.h"

#define MOST_COMMITS                                                                         \
  20000               /* one question asks for at most these; they fit into an argument list \
                       */
#define MOST_KNOWN 64 /* ordered commits at which git stops */
#define ORIGIN "refs/remotes/origin/"

/* Commits with their places. */
struct commit_list {
  struct pawl_arena *arena;
  struct placed_commit {
    const char *id;
    int64_t place;
  } * items;
  size_t count, capacity;
};

static enum pawl_status_code take_commit(void *context, const struct pawl_sql_value *columns,
                                         size_t count, struct pawl_error *err) {
  struct commit_list *list = context;
  const char *id = pawl_sql_get_text(&columns[0]);
  (void)count, (void)err;
  if (!pawl_git_is_commit(id)) return PAWL_OK; /* an abbreviation may mean another commit */
  list->items = pawl_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = (struct placed_commit){pawl_arena_copy(list->arena, id),
                                                      pawl_sql_get_integer(&columns[1], 0)};
  return PAWL_OK;
}

static pawl_status list_commits(struct pawl_store *store, bool ordered, struct commit_list *out,
                                struct pawl_error *err) {
  return pawl_sql_query(
      store->sql,
      "SELECT id, place FROM pawl_commits WHERE ancestry = $1 AND place IS NOT NULL"
      " ORDER BY place DESC LIMIT $2",
      PAWL_SQL_PARAMETERS(pawl_sql_integer(ordered),
                          pawl_sql_integer(ordered ? MOST_KNOWN : MOST_COMMITS)),
      take_commit, out, err);
}

/* Reads one line, "> TIME COMMIT PARENT...", and notes the commit's corrected time. git lists
 * parents first. */
static void ancestry_read_line(char *line, json_t *times) {
  char *rest = NULL;
  if (!strtok_r(line, " ", &rest)) return; /* the mark of a boundary says nothing more */
  const char *date = strtok_r(NULL, " ", &rest), *commit = strtok_r(NULL, " ", &rest), *parent;
  if (!commit || json_object_get(times, commit)) return;
  json_int_t time = strtoll(date, NULL, 10);
  while ((parent = strtok_r(NULL, " ", &rest))) {
    const json_t *before = json_object_get(times, parent);
    if (before && json_integer_value(before) >= time) time = json_integer_value(before) + 1;
  }
  json_object_set_new(times, commit, json_integer(time));
}

/* Walks from the commits to their ancestors. `known` stops the walk; NULL: it goes to the roots. */
static void walk(const char *folder, const struct commit_list *commits,
                 const struct commit_list *known, struct pawl_arena *arena, json_t *times) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_words words = {0};
  struct pawl_exit how = {0};
  struct pawl_error ignored = {0};
  static const char *const first[] = {"log",        "--topo-order",     "--reverse",
                                      "--boundary", "--ignore-missing", "--format=%m %ct %H %P"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) pawl_words_add(&words, arena, first[i]);
  for (size_t i = 0; i < commits->count; i++)
    if (!json_object_get(times, commits->items[i].id))
      pawl_words_add(&words, arena, commits->items[i].id);
  for (size_t i = 0; known && i < known->count; i++)
    pawl_words_printf(&words, arena, "^%s", known->items[i].id);
  pawl_words_add(&words, arena, "--");
  if (pawl_git_run(folder, words.items, &text, NULL, &how, &ignored) != PAWL_OK ||
      how.status != 0 || !text.length)
    return;
  char *rest = NULL;
  for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    ancestry_read_line(line, times);
}

static bool has_all(const struct commit_list *commits, const json_t *times) {
  for (size_t i = 0; i < commits->count; i++)
    if (!json_object_get(times, commits->items[i].id)) return false;
  return true;
}

/* Moves the commits that git knows. The low bits of a place stay. */
static pawl_status learn_places(struct pawl_store *store, const struct commit_list *commits,
                                const json_t *times, struct pawl_error *err) {
  for (size_t i = 0; i < commits->count; i++) {
    const struct placed_commit *commit = &commits->items[i];
    const json_t *time = json_object_get(times, commit->id);
    if (!time) continue;
    const int64_t place = pawl_place(json_integer_value(time), commit->place);
    if (place != commit->place)
      PAWL_TRY(pawl_place_move(store, commit->id, place, true, err));
    else
      PAWL_TRY(pawl_sql_run(store->sql, "UPDATE pawl_commits SET ancestry = 1 WHERE id = $1",
                            PAWL_SQL_PARAMETERS(pawl_sql_text(commit->id)), err));
  }
  return PAWL_OK;
}

static pawl_status learn_line(struct pawl_store *store, const char *folder,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(folder, GIT_ARGUMENTS("symbolic-ref", "--quiet", ORIGIN "HEAD"), &text,
                        NULL, &how, err));
  if (how.status != 0 || !pawl_starts_with(pawl_text_string(&text), ORIGIN)) return PAWL_OK;
  text.data[strcspn(text.data, "\n")] = '\0';
  const struct pawl_sql_value branch = pawl_sql_text(text.data + strlen(ORIGIN));
  PAWL_TRY(pawl_sql_run(store->sql, "DELETE FROM pawl_line", NULL, 0, err));
  return pawl_sql_run(store->sql, "INSERT INTO pawl_line (branch) VALUES ($1)", &branch, 1, err);
}

static pawl_status learn(struct pawl_store *store, const char *folder,
                         const struct commit_list *commits, const json_t *times,
                         struct pawl_error *err) {
  PAWL_TRY(pawl_sql_script(store->sql, store->sql->driver->hurry, err));
  enum pawl_status_code status = pawl_sql_script(store->sql, store->sql->driver->begin, err);
  if (status == PAWL_OK) {
    status = learn_places(store, commits, times, err);
    if (status == PAWL_OK) status = learn_line(store, folder, err);
    status = pawl_sql_end(store->sql, status, err);
  }
  (void)!pawl_sql_script(store->sql, store->sql->driver->wait, NULL);
  return status;
}

void pawl_store_learn(struct pawl_store *store, const char *folder) {
  struct pawl_arena arena = {0};
  struct commit_list commits = {.arena = &arena}, known = {.arena = &arena};
  PAWL_CLEANUP(pawl_json_release) json_t *times = json_object();
  struct pawl_error ignored = {0};
  if (list_commits(store, false, &commits, &ignored) == PAWL_OK && commits.count &&
      list_commits(store, true, &known, &ignored) == PAWL_OK) {
    for (size_t i = 0; i < known.count; i++)
      json_object_set_new(times, known.items[i].id,
                          json_integer(pawl_place_seconds(known.items[i].place)));
    walk(folder, &commits, &known, &arena, times);
    /* an ancestor of a known commit is behind the stop */
    if (known.count && !has_all(&commits, times)) walk(folder, &commits, NULL, &arena, times);
    if (json_object_size(times) > known.count)
      (void)!learn(store, folder, &commits, times, &ignored);
  }
  pawl_free(commits.items);
  pawl_free(known.items);
  pawl_arena_clear(&arena);
}
