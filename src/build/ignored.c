/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ignored.h"

#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "build/git.h"

#define MOST_SHOWN 10000 /* each takes a mount */

/* Returns whether a build sees the path, or one below it, as an empty folder anyway. */
static bool holds_hidden(const struct pawl_build_box *box, const char *path) {
  for (size_t i = 0; i < box->views.count; i++)
    if (box->views.items[i].use == PAWL_VIEW_EMPTY &&
        pawl_path_holds(path, box->views.items[i].source))
      return true;
  return false;
}

/* Adds a path below the top. A folder that holds one of pawl's own gives its other entries. */
static void add_path(const struct pawl_build_box *box, const char *top, const char *name,
                     struct pawl_strings *out) {
  const char *own = pawl_arena_printf(box->arena, "%s/%s", box->top, name);
  if (pawl_box_is_hidden(box, own)) return;
  if (!holds_hidden(box, own)) {
    pawl_strings_add(out, box->arena, name);
    return;
  }
  DIR *folder = opendir(pawl_arena_printf(box->arena, "%s/%s", top, name));
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      add_path(box, top, pawl_arena_printf(box->arena, "%s/%s", name, entry->d_name), out);
  if (folder) closedir(folder);
}

/* Lists the files and whole folders that git ignores, without pawl's own, also those in submodules.
 * `below` is the path of a repository from the top, with a slash at its end. */
static pawl_status list_ignored(const struct pawl_build_box *box, const char *top,
                                const char *below, struct pawl_strings *out,
                                struct pawl_error *err) {
  struct pawl_strings ignored, known = {0};
  struct pawl_arena *arena = box->arena;
  const char *root = pawl_arena_printf(arena, "%s/%s", top, below);
  PAWL_TRY(pawl_git_files(root, true, arena, &ignored, err));
  for (size_t i = 0; i < ignored.count; i++) {
    const char *name = ignored.items[i];
    const size_t length = strlen(name);
    const bool folder = length && name[length - 1] == '/';
    add_path(box, top, pawl_arena_printf(arena, "%s%.*s", below, (int)(length - folder), name),
             out);
  }
  if (pawl_file_exists(pawl_arena_printf(arena, "%s/.gitmodules", root)))
    PAWL_TRY(pawl_git_files(root, false, arena, &known, err));
  for (size_t i = 0; i < known.count; i++)
    if (pawl_file_exists(pawl_arena_printf(arena, "%s%s/.git", root, known.items[i])))
      PAWL_TRY(list_ignored(box, top, pawl_arena_printf(arena, "%s%s/", below, known.items[i]), out,
                            err));
  return PAWL_OK;
}

pawl_status pawl_ignored_show(struct pawl_build_box *box, struct pawl_error *err) {
  const bool same = !strcmp(box->top, box->user_top);
  if (box->shows_ignored || box->by_command || (!box->moved && !box->copy)) return PAWL_OK;
  if (same && box->moved) return PAWL_OK; /* its builds see the tree itself */
  struct pawl_strings ignored = {0};
  const enum pawl_status_code status = list_ignored(box, box->user_top, "", &ignored, err);
  if (status != PAWL_OK && !same) return status; /* git need not know a tree of one version */
  if (ignored.count > MOST_SHOWN)
    return pawl_fail(err, PAWL_CONFIG,
                     "git ignores %zu paths here, and pawl shows at most %d of them to the builds "
                     "of another version; remove what no build needs",
                     ignored.count, MOST_SHOWN);
  for (size_t i = 0; i < ignored.count; i++) {
    const char *name = ignored.items[i];
    const char *here = pawl_arena_printf(box->arena, "%s/%s", box->top, name);
    PAWL_CLEANUP(pawl_free_pointer)
    char *source = pawl_path_real(pawl_arena_printf(box->arena, "%s/%s", box->user_top, name));
    if (!source || !pawl_path_holds(box->user_top, source)) continue; /* leads out of the tree */
    if (!same && !pawl_file_absent(here)) continue;
    pawl_sandbox_view_add(&box->views, pawl_arena_copy(box->arena, source),
                          pawl_arena_printf(box->arena, PAWL_BOX_TREE "/%s", name), PAWL_VIEW_READ);
  }
  box->shows_ignored = true;
  return PAWL_OK;
}
