/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the commit that changed a file. */
#include <string.h>

#include "base/clean.h"
#include "build/git.h"
#include "build/git_run.h"

/* Returns the first commit of `git log` with these arguments, as "HASH AUTHOR". */
static struct pawl_git_change first_change(const char *root, const char *const *arguments,
                                           struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text author = {0};
  struct pawl_exit how = {0};
  struct pawl_git_change change = {NULL, NULL};
  if (pawl_git_run(root, arguments, &out, NULL, &how, NULL) != PAWL_OK || how.timed_out ||
      how.status != 0)
    return change;
  char *line = pawl_arena_copy(arena, pawl_text_string(&out)), *space = strchr(line, ' ');
  if (!space) return change;
  *space = '\0';
  if (!pawl_git_is_commit(line)) return change;
  space[1 + strcspn(space + 1, "\n")] = '\0';
  pawl_clean_text(space + 1, false, &author);
  change.commit = line;
  if (author.length) change.author = pawl_arena_copy(arena, author.data);
  return change;
}

struct pawl_git_change pawl_git_last_change(const char *root, const char *after, const char *path,
                                            struct pawl_arena *arena) {
  const char *range = pawl_arena_printf(arena, "%s..HEAD", after);
  return first_change(root,
                      GIT_ARGUMENTS("log", "-1", "--no-show-signature", "--format=%H %an",
                                    "--end-of-options", range, "--", path),
                      arena);
}

struct pawl_git_change pawl_git_introduction(const char *root, const char *tip, const char *path,
                                             const char *text, struct pawl_arena *arena) {
  const char *search = pawl_arena_printf(arena, "-S%s", text);
  return first_change(root,
                      GIT_ARGUMENTS("log", "-1", "--no-show-signature", "--first-parent",
                                    "--diff-merges=first-parent", "--format=%H %an", search,
                                    "--end-of-options", tip, "--", path),
                      arena);
}

bool pawl_git_is_ancestor(const char *root, const char *commit, const char *tip) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text out = {0};
  struct pawl_exit how = {0};
  return pawl_git_run(root, GIT_ARGUMENTS("merge-base", "--is-ancestor", commit, tip), &out, NULL,
                      &how, NULL) == PAWL_OK &&
         !how.timed_out && how.status == 0;
}

pawl_status pawl_git_first_parents(const char *root, const char *from, const char *to,
                                   struct pawl_arena *arena, struct pawl_strings *out,
                                   struct pawl_error *err) {
  if (!pawl_git_is_ancestor(root, from, to))
    return pawl_fail(err, PAWL_NO_INPUT, "commit %.12s is no ancestor of %.12s", from, to);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  const char *range = pawl_arena_printf(arena, "%s..%s", from, to);
  PAWL_TRY(pawl_git_need(
      root, GIT_ARGUMENTS("rev-list", "--first-parent", "--reverse", "--end-of-options", range),
      &list, PAWL_NO_INPUT, "cannot list the commits", err));
  struct pawl_strings found = {0};
  for (size_t at = 0; at + 1 < list.length;) {
    const size_t length = strcspn(list.data + at, "\n");
    pawl_strings_add(&found, arena, pawl_arena_printf(arena, "%.*s", (int)length, list.data + at));
    at += length + 1;
  }
  *out = found;
  return PAWL_OK;
}
