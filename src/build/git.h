/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a working tree, by the git program. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"

struct pawl_git {
  const char *root;   /* top of the working tree */
  const char *commit; /* HEAD, 40 hex digits; NULL before the first commit */
  bool dirty; /* tracked files differ from HEAD, or untracked files below `folder` that are not
                 ignored */
  const char *change; /* one of these files; NULL: not dirty */
  const char *reason; /* why there is no commit; NULL: there is one */
};

/* PAWL_UNAVAILABLE when git is missing or `folder` is in no repository: the message says which. */
pawl_status pawl_git_read(const char *folder, struct pawl_arena *arena, struct pawl_git *out,
                          struct pawl_error *err);

/* The files of a working tree, as paths below its top. `ignored`: those that git ignores instead,
   where "folder/" stands for a whole folder. In the order of their names. */
pawl_status pawl_git_files(const char *root, bool ignored, struct pawl_arena *arena,
                           struct pawl_strings *out, struct pawl_error *err);

/* The facts of a commit. Unknown: -1 and NULL, also where the commit is not here. */
struct pawl_git_commit {
  long long time;      /* the committer's time; seconds since 1970, UTC */
  const char *subject; /* the first line of its message, clean UTF-8 */
};
struct pawl_git_commit pawl_git_commit_facts(const char *root, const char *commit,
                                             struct pawl_arena *arena);
/* The branch of the working tree, or what the CI says that a detached one stands for; NULL:
 * unknown. */
const char *pawl_git_branch(const char *root, struct pawl_arena *arena);

/* All digits of a commit (40, or 64 with SHA-256): git never takes that for the name of a branch.
 */
bool pawl_git_is_commit(const char *text);

/* The first of these refs ("refs/heads/main", "refs/remotes/origin/main"; NULL ends them) that
   there is, as users write it ("main", "origin/main"), and its commit; NULL: there is none. One
   git, for all. */
const char *pawl_git_first_branch(const char *root, const char *const *refs,
                                  struct pawl_arena *arena, const char **commit);

/* A detached worktree of `commit` at `path`, made or moved there; pruned by remove. */
pawl_status pawl_git_worktree_add(const char *root, const char *commit, const char *path,
                                  struct pawl_error *err);
pawl_status pawl_git_worktree_remove(const char *root, const char *path, struct pawl_error *err);
/* The full commit of a revision; PAWL_NO_INPUT when there is none. */
pawl_status pawl_git_resolve(const char *root, const char *revision, struct pawl_arena *arena,
                             const char **commit, struct pawl_error *err);
pawl_status pawl_git_merge_base(const char *root, const char *a, const char *b,
                                struct pawl_arena *arena, const char **commit,
                                struct pawl_error *err);
/* Has the commit here: nothing to do when it is, else fetched alone from `origin` (a shallow
   clone). PAWL_NO_INPUT when it cannot be had. */
pawl_status pawl_git_fetch(const char *root, const char *commit, struct pawl_error *err);
/* The text of a file at a commit; PAWL_NO_INPUT when it is not there. */
pawl_status pawl_git_show(const char *root, const char *commit, const char *path,
                          struct pawl_arena *arena, const char **text, size_t *length,
                          struct pawl_error *err);

/* A commit and its author; NULL: there is none, or git does not say. */
struct pawl_git_change {
  const char *commit, *author; /* author: a name, clean UTF-8 */
};
/* The last change of a file after a commit, up to HEAD. */
struct pawl_git_change pawl_git_last_change(const char *root, const char *after, const char *path,
                                            struct pawl_arena *arena);
/* The commit of the first-parent history of `tip` that brought a text into a file. */
struct pawl_git_change pawl_git_introduction(const char *root, const char *tip, const char *path,
                                             const char *text, struct pawl_arena *arena);
/* False where one is not here. */
bool pawl_git_is_ancestor(const char *root, const char *commit, const char *tip);
