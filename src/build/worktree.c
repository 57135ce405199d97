/* SPDX-License-Identifier: Apache-2.0 */
/* Makes worktrees, which are second checkouts of the same repository at another commit. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "build/git.h"
#include "build/git_run.h"

#define SUBMODULE_DEPTH 8

/* Returns the path in a file of git, "gitdir: ../x" or "../..", relative to `folder`, or NULL. */
static char *worktree_link(const char *folder, const char *name) {
  static const char prefix[] = "gitdir: ";
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *file = pawl_path_join(folder, name);
  if (pawl_file_read(file, PATH_MAX, &text, NULL) != PAWL_OK) return NULL;
  text.data[strcspn(text.data, "\n")] = '\0';
  const char *path = text.data + (pawl_starts_with(text.data, prefix) ? sizeof prefix - 1 : 0);
  return pawl_path_join(*path == '/' ? "" : folder, path);
}

/* Returns the folder of a tree's repository, which all of its worktrees share, or NULL. */
static char *worktree_keeper(const char *tree) {
  PAWL_CLEANUP(pawl_free_pointer) char *mark = pawl_path_join(tree, ".git");
  if (pawl_is_folder(mark)) return pawl_path_real(mark);
  PAWL_CLEANUP(pawl_free_pointer) char *own = worktree_link(tree, ".git");
  PAWL_CLEANUP(pawl_free_pointer) char *shared = own ? worktree_link(own, "commondir") : NULL;
  return own ? pawl_path_real(shared ? shared : own) : NULL;
}

/* Returns whether `path` is the top of a worktree of the repository of `root`. A folder inside the
   repository is not, because it has no mark of git. */
static bool is_our_worktree(const char *root, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *wanted = worktree_keeper(root);
  PAWL_CLEANUP(pawl_free_pointer) char *found = worktree_keeper(path);
  return wanted && found && !strcmp(wanted, found);
}

static pawl_status add_submodule(const char *root, const char *path, const char *entry, int depth,
                                 struct pawl_error *err);

/* Gives the worktree the submodules that `root` has checked out. It copies from `root` and needs no
   network. Submodules that `root` has not initialised stay empty. */
static pawl_status add_submodules(const char *root, const char *path, int depth,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *modules = pawl_path_join(path, ".gitmodules");
  if (!pawl_file_exists(modules)) return PAWL_OK;
  if (depth > SUBMODULE_DEPTH)
    return pawl_fail(err, PAWL_BAD_DATA, "submodules of '%s' are nested more than %d deep", root,
                     SUBMODULE_DEPTH);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text list = {0};
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(
      path,
      GIT_ARGUMENTS("config", "-z", "-f", ".gitmodules", "--get-regexp", "^submodule\\..*\\.path$"),
      &list, NULL, &how, err));
  for (size_t offset = 0; offset < list.length; offset += strlen(list.data + offset) + 1)
    PAWL_TRY(add_submodule(root, path, list.data + offset, depth, err));
  return PAWL_OK;
}

/* `entry` is one of .gitmodules, "submodule.<name>.path\n<path>". */
static pawl_status add_submodule(const char *root, const char *path, const char *entry, int depth,
                                 struct pawl_error *err) {
  const size_t skip = strlen("submodule."), tail = strlen(".path");
  const char *end = strchr(entry, '\n');
  if (!end || (size_t)(end - entry) < skip + tail) return PAWL_OK;
  const char *place = end + 1;
  const int name_length = (int)((size_t)(end - entry) - skip - tail);
  if (*place == '/' || strstr(place, "..") || memchr(entry, '=', (size_t)(end - entry)))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "the submodule '%s' of '%s' has a name or a path that pawl does not accept",
                     place, root);
  PAWL_CLEANUP(pawl_free_pointer) char *ours = pawl_path_join(root, place);
  PAWL_CLEANUP(pawl_free_pointer) char *mark = pawl_path_join(ours, ".git");
  if (!pawl_file_exists(mark) && !pawl_is_folder(mark)) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer) char *theirs = pawl_path_join(path, place);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text url = {0};
  char what[512];
  pawl_text_printf(&url, "submodule.%.*s.url=%s", name_length, entry + skip, ours);
  snprintf(what, sizeof what, "cannot check the submodule '%.200s' out", place);
  PAWL_TRY(pawl_git_need(
      path,
      GIT_ARGUMENTS("-c", "protocol.file.allow=always", "-c", url.data, "submodule", "--quiet",
                    "update", "--init", "--force", "--checkout", "--", place),
      NULL, PAWL_UNAVAILABLE, what, err));
  return add_submodules(ours, theirs, depth + 1, err);
}

/* Returns whether the path is a worktree that its repository does not know there. The repository
   has moved away or pruned it, or the folder is a copy of another worktree. */
static bool is_orphan(const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *mark = pawl_path_join(path, ".git");
  if (!pawl_file_exists(mark) || pawl_is_folder(mark)) return false;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text keeper = {0}, known = {0};
  if (pawl_git_need(path, GIT_ARGUMENTS("rev-parse", "--absolute-git-dir"), &keeper, PAWL_IO, "git",
                    NULL) != PAWL_OK ||
      !keeper.length)
    return true;
  keeper.data[keeper.length - 1] = '\0';
  PAWL_CLEANUP(pawl_free_pointer)
  char *record = pawl_path_join(keeper.data, "gitdir"); /* the file contains the path of `mark` */
  if (pawl_file_read(record, PATH_MAX, &known, NULL) != PAWL_OK || !known.length) return false;
  known.data[known.length - 1] = '\0';
  PAWL_CLEANUP(pawl_free_pointer) char *there = pawl_path_real(known.data);
  PAWL_CLEANUP(pawl_free_pointer) char *here = pawl_path_real(mark);
  return !there || !here || strcmp(there, here) != 0;
}

/* Moves an existing worktree. Returns false if git cannot, as after a killed checkout. */
static bool move_worktree(const char *path, const char *commit) {
  return pawl_git_need(path, GIT_ARGUMENTS("checkout", "--quiet", "--force", "--detach", commit),
                       NULL, PAWL_IO, "git", NULL) == PAWL_OK &&
         pawl_git_need(path, GIT_ARGUMENTS("clean", "-ffdxq"), NULL, PAWL_IO, "git", NULL) ==
             PAWL_OK;
}

static pawl_status make_worktree(const char *root, const char *commit, const char *path,
                                 struct pawl_error *err) {
  if (is_our_worktree(root, path) || is_orphan(path))
    PAWL_TRY(pawl_git_worktree_remove(root, path, err));
  PAWL_TRY(pawl_git_need(root, GIT_ARGUMENTS("worktree", "prune"), NULL, PAWL_IO,
                         "cannot prune git's worktrees", err));
  char what[PATH_MAX + 64];
  snprintf(what, sizeof what, "cannot make a git worktree at '%s'", path);
  return pawl_git_need(root,
                       GIT_ARGUMENTS("worktree", "add", "--quiet", "--force", "--force", "--detach",
                                     "--", path, commit),
                       NULL, PAWL_CANNOT_WRITE, what, err);
}

/* Returns whether the worktree has exactly the files of the commit, so that nothing is to do. */
static bool worktree_matches(const char *path, const char *commit) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text found = {0}, wanted = {0};
  if (pawl_git_need(path,
                    GIT_ARGUMENTS("status", "--porcelain=v2", "--branch", "-z", "--ignored",
                                  "--untracked-files=all", "--ignore-submodules=none"),
                    &found, PAWL_IO, "git", NULL) != PAWL_OK)
    return false;
  pawl_text_printf(&wanted, "# branch.oid %s%c# branch.head (detached)%c", commit, 0, 0);
  return found.length == wanted.length && !memcmp(found.data, wanted.data, wanted.length);
}

pawl_status pawl_git_worktree_add(const char *root, const char *commit, const char *path,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const bool ours = is_our_worktree(root, path);
  if (!ours || !worktree_matches(path, commit)) {
    const char *full;
    PAWL_TRY(pawl_git_fetch(root, commit, err));
    PAWL_TRY(pawl_git_resolve(root, commit, &arena, &full, err));
    if (!ours || !move_worktree(path, full)) PAWL_TRY(make_worktree(root, full, path, err));
  }
  return add_submodules(root, path, 0, err);
}

pawl_status pawl_git_worktree_remove(const char *root, const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *real_root = pawl_path_real(root);
  PAWL_CLEANUP(pawl_free_pointer) char *real_path = pawl_path_real(path);
  if (real_root && real_path && pawl_starts_with(real_root, real_path))
    return pawl_fail(err, PAWL_USAGE,
                     "'%s' is the repository itself, not a worktree: pawl does not remove it",
                     path);
  /* git refuses to remove a worktree with submodules or one that it has forgotten, so pawl always
     removes the folder */
  struct pawl_exit how = {0};
  PAWL_TRY(pawl_git_run(root, GIT_ARGUMENTS("worktree", "remove", "--force", "--force", "--", path),
                        NULL, NULL, &how, err));
  PAWL_TRY(pawl_remove_tree(path, err));
  return pawl_git_need(root, GIT_ARGUMENTS("worktree", "prune"), NULL, PAWL_IO,
                       "cannot prune git's worktrees", err);
}
