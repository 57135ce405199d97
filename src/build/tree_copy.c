/* SPDX-License-Identifier: Apache-2.0 */
#include "build/tree_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "build/tree_walk.h"

struct tree_copying {
  struct pawl_arena *arena;
  const char *top, *folder;
  const char **files; /* relative to the top; NULL-terminated */
  size_t count, capacity;
  off_t bytes;
  bool done;
};

static bool is_too_large(const struct tree_copying *copying) {
  return copying->count > PAWL_COPIED_FILES || copying->bytes > PAWL_COPIED_BYTES;
}

static void list_item(void *context, const struct pawl_tree_item *item) {
  struct tree_copying *copying = context;
  struct stat info = {0};
  if (is_too_large(copying) || !strcmp(item->name, ".git"))
    return; /* a worktree's, a submodule's */
  if (fstatat(item->folder, item->name, &info, AT_SYMLINK_NOFOLLOW)) return;
  copying->bytes += S_ISREG(info.st_mode) ? info.st_size : 0;
  copying->files =
      pawl_grow(copying->files, copying->count + 1, &copying->capacity, sizeof *copying->files);
  copying->files[copying->count++] = pawl_arena_copy(copying->arena, item->path);
  copying->files[copying->count] = NULL;
}

/* A folder is a folder in the copy too, also an empty one, and make decides by the times. */
static void finish_item(struct tree_copying *copying, const char *name) {
  const char *from = pawl_arena_printf(copying->arena, "%s/%s", copying->top, name);
  const char *to = pawl_arena_printf(copying->arena, "%s/%s", copying->folder, name);
  struct stat info;
  if (lstat(from, &info)) return;
  if (S_ISDIR(info.st_mode)) copying->done &= !mkdir(to, 0755) || errno == EEXIST;
  const struct timespec times[] = {info.st_atim, info.st_mtim};
  if (!S_ISDIR(info.st_mode)) utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
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
    views[copy->view_count++] = view;
  }
  copy->views = views;
}

static pawl_status copy_files(struct tree_copying *copying, struct pawl_error *err) {
  const struct pawl_sandbox_step step = {
      .source = copying->top, .target = copying->folder, .names = copying->files};
  if (mkdir(copying->folder, 0700))
    return pawl_fail_errno(err, errno, "cannot make the folder '%s'", copying->folder);
  copying->done = !copying->count || pawl_sandbox_copy_names(&step);
  for (size_t i = 0; i < copying->count && copying->done; i++)
    finish_item(copying, copying->files[i]);
  if (copying->done) return PAWL_OK;
  return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot copy '%s' to '%s'", copying->top,
                   copying->folder);
}

pawl_status pawl_tree_copy_make(struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                struct pawl_arena *arena, struct pawl_error *err) {
  *copy = (struct pawl_tree_copy){.views = box->views.items, .view_count = box->views.count};
  if (!box->copy) return PAWL_OK;
  struct tree_copying copying = {.arena = arena, .top = box->top, .folder = box->copy};
  const char **skipped = pawl_arena_alloc(arena, box->views.count + 1, sizeof *skipped);
  size_t count = 0;
  for (size_t i = 0; i < box->views.count; i++)
    if (box->views.items[i].use == PAWL_VIEW_EMPTY) skipped[count++] = box->views.items[i].source;
  pawl_tree_walk(box->top, skipped, true, list_item, &copying);
  const bool copies = !is_too_large(&copying);
  const enum pawl_status_code status = copies ? copy_files(&copying, err) : PAWL_OK;
  pawl_free(copying.files);
  if (!copies) return PAWL_OK;
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
