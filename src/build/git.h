/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the git program for facts of a repository. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "base/text.h"

struct pawl_git {
  const char *root;   /* top of the working tree */
  const char *commit; /* 40 hexadecimal digits of HEAD; NULL before the first commit */
  /* tracked files differ from HEAD, or `folder` has untracked files that git does not ignore */
  bool dirty;
  const char *change; /* one of these files; NULL: not dirty */
  const char *reason; /* why there is no commit; NULL: there is one */
};

/* Reads the state of a working tree. PAWL_UNAVAILABLE says that git is missing or `folder` is in no
 * repository. */
pawl_status pawl_git_read(const char *folder, struct pawl_arena *arena, struct pawl_git *out,
                          struct pawl_error *err);

/* Reads the same, but looks for no changes. */
pawl_status pawl_git_read_head(const char *folder, struct pawl_arena *arena, struct pawl_git *out,
                               struct pawl_error *err);

/* Lists the files of a working tree, as paths below its top, sorted. With `ignored` it lists those
 * that git ignores, where "folder/" stands for a whole folder. */
pawl_status pawl_git_files(const char *root, bool ignored, struct pawl_arena *arena,
                           struct pawl_strings *out, struct pawl_error *err);

/* Lists the files below a folder that git does not ignore, each with a zero at its end:
 * "H MODE HASH STAGE<tab>NAME" for a tracked file, "C ..." again if it is changed, "? NAME" for a
 * new file. */
pawl_status pawl_git_states(const char *folder, struct pawl_text *out, struct pawl_error *err);

/* Lists what neither the index nor `commit` has at a path or below it, relative to `folder`, where
 * "x/" stands for a whole folder. *tracked says whether one of them has a file there. `commit` may
 * be NULL. */
pawl_status pawl_git_untracked(const char *folder, const char *path, const char *commit,
                               struct pawl_arena *arena, struct pawl_strings *out, bool *tracked,
                               struct pawl_error *err);

/* Returns whether git tracks a file below the path or does not ignore one that is there. Outside of
 * a repository the answer is yes. */
bool pawl_git_sees(const char *folder, const char *path);

/* Facts of a commit. Unknown facts are -1 and NULL, also if the commit is not here. */
struct pawl_git_commit {
  long long time;               /* the committer's time; seconds since 1970, UTC */
  const char *author, *subject; /* a name; the first line of the message; clean UTF-8 */
};
struct pawl_git_commit pawl_git_commit_facts(const char *root, const char *commit,
                                             struct pawl_arena *arena);
/* Returns the branch of the working tree. If HEAD is detached, returns the branch that the CI
 * gives, or NULL if it is unknown. */
const char *pawl_git_branch(const char *root, struct pawl_arena *arena);

/* Returns whether the text has all digits of a commit (40, or 64 with SHA-256). git never takes
 * these for the name of a branch. */
bool pawl_git_is_commit(const char *text);

/* Returns the first existing ref of `refs` ("refs/heads/main", "refs/remotes/origin/main"; NULL
 * ends them) as users write it ("main", "origin/main"), and its commit. Returns NULL if none
 * exists. One git process answers for all. */
const char *pawl_git_first_branch(const char *root, const char *const *refs,
                                  struct pawl_arena *arena, const char **commit);

/* Make or move a detached worktree of `commit` at `path`, and remove it. Fetches a commit that is
 * not here, as pawl_git_fetch() does. */
pawl_status pawl_git_worktree_add(const char *root, const char *commit, const char *path,
                                  struct pawl_error *err);
pawl_status pawl_git_worktree_remove(const char *root, const char *path, struct pawl_error *err);
/* Finds the full commit of a revision. Fails with PAWL_NO_INPUT if there is none. */
pawl_status pawl_git_resolve(const char *root, const char *revision, struct pawl_arena *arena,
                             const char **commit, struct pawl_error *err);
pawl_status pawl_git_merge_base(const char *root, const char *a, const char *b,
                                struct pawl_arena *arena, const char **commit,
                                struct pawl_error *err);
/* Lists the commits after `from` up to `to` along first parents, the oldest first. A commit that a
 * merge brought stands for nothing but its merge. Fails with PAWL_NO_INPUT if `from` is no ancestor
 * of `to`. */
pawl_status pawl_git_first_parents(const char *root, const char *from, const char *to,
                                   struct pawl_arena *arena, struct pawl_strings *out,
                                   struct pawl_error *err);
/* Makes sure that the commit is here. If it is missing, as in a shallow clone, fetches it alone
 * from `origin`. Fails with PAWL_NO_INPUT if that fails. */
pawl_status pawl_git_fetch(const char *root, const char *commit, struct pawl_error *err);
/* Reads a file at a commit. Fails with PAWL_NO_INPUT if the file is not there. */
pawl_status pawl_git_show(const char *root, const char *commit, const char *path,
                          struct pawl_arena *arena, const char **text, size_t *length,
                          struct pawl_error *err);

/* A commit and its author; NULL: there is none, or git does not say. */
struct pawl_git_change {
  const char *commit, *author; /* author: a name, clean UTF-8 */
};
/* Finds the last change of a file after a commit, up to HEAD. */
struct pawl_git_change pawl_git_last_change(const char *root, const char *after, const char *path,
                                            struct pawl_arena *arena);
/* Finds the commit of the first-parent history of `tip` that brought a text into a file. */
struct pawl_git_change pawl_git_introduction(const char *root, const char *tip, const char *path,
                                             const char *text, struct pawl_arena *arena);
/* Returns false if one of the commits is not here. */
bool pawl_git_is_ancestor(const char *root, const char *commit, const char *tip);
