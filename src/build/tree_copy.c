/* SPDX-License-Identifier: Apache-2.0 */
#include "build/tree_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build/git.h"
#include "build/tree_walk.h"

struct tree_copying {
  struct pawl_arena *arena;
  const char *top;
  struct pawl_words files; /* relative to the top */
  off_t bytes;
};

static bool is_too_large(const struct tree_copying *copying) {
  return copying->files.count > PAWL_COPIED_FILES || copying->bytes > PAWL_COPIED_BYTES;
}

static void add_file(struct tree_copying *copying, const char *path, const struct stat *info) {
  copying->bytes += S_ISREG(info->st_mode) ? info->st_size : 0;
  pawl_words_add(&copying->files, copying->arena, path);
}

/* Adds the files of a repository that git knows or would add, and those of its submodules. `below`
 * is its path from the top, with a slash at its end. */
static bool list_known(struct tree_copying *copying, const char *below) {
  struct pawl_strings files;
  const char *root = pawl_arena_printf(copying->arena, "%s/%s", copying->top, below);
  if (pawl_git_files(root, false, copying->arena, &files, NULL) != PAWL_OK) return false;
  for (size_t i = 0; i < files.count && !is_too_large(copying); i++) {
    const char *path = pawl_arena_printf(copying->arena, "%s%s", below, files.items[i]);
    const char *real = pawl_arena_printf(copying->arena, "%s/%s", copying->top, path);
    struct stat info;
    if (lstat(real, &info)) continue;
    if (!S_ISDIR(info.st_mode))
      add_file(copying, path, &info);
    else if (pawl_file_exists(pawl_arena_printf(copying->arena, "%s/.git", real)))
      list_known(copying, pawl_arena_printf(copying->arena, "%s/", path));
  }
  return true;
}

static void list_item(void *context, const struct pawl_tree_item *item) {
  struct tree_copying *copying = context;
  struct stat info = {0};
  if (is_too_large(copying) || !strcmp(item->name, ".git"))
    return; /* a worktree's, a submodule's */
  if (!fstatat(item->folder, item->name, &info, AT_SYMLINK_NOFOLLOW))
    add_file(copying, item->path, &info);
}

/* A tree that git does not know has one version alone. So its builds see all of its files. */
static void list_all(struct tree_copying *copying, const struct pawl_build_box *box) {
  const char **skipped = pawl_arena_alloc(copying->arena, box->views.count + 1, sizeof *skipped);
  size_t count = 0;
  for (size_t i = 0; i < box->views.count; i++)
    if (box->views.items[i].use == PAWL_VIEW_EMPTY) skipped[count++] = box->views.items[i].source;
  pawl_tree_walk(copying->top, skipped, true, list_item, copying);
}

/* A folder is a folder in the copy too, also an empty one, and make decides by the times. */
static bool finish_item(const struct tree_copying *copying, const char *folder, const char *name) {
  const char *from = pawl_arena_printf(copying->arena, "%s/%s", copying->top, name);
  const char *to = pawl_arena_printf(copying->arena, "%s/%s", folder, name);
  struct stat info;
  if (lstat(from, &info)) return true;
  if (S_ISDIR(info.st_mode)) return !mkdir(to, 0755) || errno == EEXIST;
  const struct timespec times[] = {info.st_atim, info.st_mtim};
  utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
  return true;
}

/* The views of the box outside of the tree stay, and the folder where the writes stay. */
static void place_views(struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                        struct pawl_arena *arena) {
  struct pawl_sandbox_view *views = pawl_arena_alloc(arena, box->views.count + 1, sizeof *views);
  for (size_t i = 0; i < box->views.count; i++) {
    struct pawl_sandbox_view view = box->views.items[i];
    if (view.use == PAWL_VIEW_EMPTY && pawl_path_holds(box->top, view.source)) {
      const char *own =
          pawl_arena_printf(arena, "%s%s", copy->folder, view.source + strlen(box->top));
      if (pawl_make_folders(own, NULL) == PAWL_OK) continue;
    }
    if (!strcmp(view.source, box->top)) view.source = copy->folder;
    if (view.target && pawl_starts_with(view.target, PAWL_BOX_TREE "/")) {
      const char *place =
          pawl_arena_printf(arena, "%s%s", copy->folder, view.target + strlen(PAWL_BOX_TREE));
      if (!pawl_sandbox_make_parents(place) || symlink(view.source, place)) continue;
    }
    views[copy->view_count++] = view;
  }
  copy->views = views;
}

static pawl_status copy_files(const struct tree_copying *copying, const char *folder, bool dated,
                              struct pawl_error *err) {
  const struct pawl_sandbox_step step = {
      .source = copying->top, .target = folder, .names = copying->files.items, .dated = dated};
  if (mkdir(folder, 0700))
    return pawl_fail_errno(err, errno, "cannot make the folder '%s'", folder);
  bool done = !copying->files.count || pawl_sandbox_copy_names(&step);
  for (size_t i = 0; i < copying->files.count && done && !dated; i++)
    done = finish_item(copying, folder, copying->files.items[i]);
  if (done) return PAWL_OK;
  return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot copy '%s' to '%s'", copying->top, folder);
}

/* The child itself copies these files into its root folder. */
static void show_names(struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                       const char *const *names, struct pawl_arena *arena) {
  struct pawl_sandbox_view *views = pawl_arena_alloc(arena, box->views.count + 1, sizeof *views);
  memcpy(views, box->views.items, box->views.count * sizeof *views);
  for (size_t i = 0; i < box->views.count; i++) {
    if (strcmp(views[i].source, box->top) != 0 || views[i].use != PAWL_VIEW_COPY) continue;
    views[i].use = PAWL_VIEW_NAMES;
    views[i].names = names;
    views[i].dated = true;
  }
  copy->views = views;
}

pawl_status pawl_tree_copy_make(struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                struct pawl_arena *arena, struct pawl_error *err) {
  *copy = (struct pawl_tree_copy){.views = box->views.items, .view_count = box->views.count};
  if (!box->copy && !(box->moved && box->by_command)) return PAWL_OK;
  struct tree_copying copying = {.arena = arena, .top = box->top};
  const bool known = list_known(&copying, "");
  if (!known && !box->moved) list_all(&copying, box);
  if (!copying.files.count || is_too_large(&copying)) return PAWL_OK;
  if (box->moved) {
    show_names(copy, box, copying.files.items, arena);
    return PAWL_OK;
  }
  const enum pawl_status_code status =
      copy_files(&copying, box->copy, known && box->by_command, err);
  copy->folder = box->copy; /* also what a failure left of it */
  copy->view_count = 0;
  place_views(copy, box, arena);
  return status;
}

const char *pawl_tree_copy_path(const struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                const char *path, struct pawl_arena *arena) {
  if (!copy->folder || !pawl_path_holds(box->top, path)) return path;
  for (size_t i = 0; i < copy->view_count; i++)
    if (copy->views[i].use == PAWL_VIEW_WRITE && pawl_path_holds(copy->views[i].source, path))
      return path;
  return pawl_arena_printf(arena, "%s%s", copy->folder, path + strlen(box->top));
}

void pawl_tree_copy_remove(struct pawl_tree_copy *copy) {
  if (copy->folder && pawl_remove_tree(copy->folder, NULL) != PAWL_OK) {
    /* a leftover folder does no harm */
  }
}

const char *pawl_tree_ignored(const struct pawl_build_box *box, const char *words,
                              struct pawl_arena *arena) {
  struct pawl_strings ignored;
  if (!box->by_command || (!box->moved && !box->copy) ||
      pawl_git_files(box->top, true, arena, &ignored, NULL) != PAWL_OK)
    return NULL;
  for (size_t i = 0; i < ignored.count; i++) {
    char *path = pawl_arena_copy(arena, ignored.items[i]);
    const size_t length = strlen(path);
    if (length && path[length - 1] == '/') path[length - 1] = '\0';
    const char *slash = strrchr(path, '/');
    if (!pawl_box_is_hidden(box, pawl_arena_printf(arena, "%s/%s", box->top, path)) &&
        strstr(words, slash ? slash + 1 : path))
      return pawl_arena_printf(
          arena,
          "git ignores '%s', so a build command does not see it; add it to git or to "
          "`measure: {files: [...]}`",
          path);
  }
  return NULL;
}
