/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ignored.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "build/git.h"

#define MOST_SHOWN 512 /* each takes a mount */

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

/* Lists the files and whole folders that git ignores, without pawl's own. */
static struct pawl_strings list_ignored(const struct pawl_build_box *box, const char *top) {
  struct pawl_strings found = {0}, out = {0};
  if (pawl_git_files(top, true, box->arena, &found, NULL) != PAWL_OK) return out;
  for (size_t i = 0; i < found.count; i++) {
    const size_t length = strlen(found.items[i]);
    const bool folder = length && found.items[i][length - 1] == '/';
    add_path(box, top,
             pawl_arena_printf(box->arena, "%.*s", (int)(length - folder), found.items[i]), &out);
  }
  return out;
}

static bool is_listed(const struct pawl_strings *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->items[i], name)) return true;
  return false;
}

void pawl_ignored_hide(struct pawl_build_box *box) {
  if (!box->moved || box->by_command) return;
  const struct pawl_strings ignored = list_ignored(box, box->top);
  const char **names = pawl_arena_alloc(box->arena, ignored.count + 1, sizeof *names);
  for (size_t i = 0; i < ignored.count; i++) names[i] = ignored.items[i];
  for (size_t i = 0; i < box->views.count; i++) {
    struct pawl_sandbox_view *view = &box->views.items[i];
    if (view->use == PAWL_VIEW_COPY && !strcmp(view->source, box->top)) view->names = names;
  }
}

bool pawl_ignored_show(struct pawl_build_box *box) {
  if (box->shows_ignored || box->by_command || (!box->moved && !box->copy)) return false;
  const struct pawl_strings ignored = list_ignored(box, box->user_top);
  const bool same = !strcmp(box->top, box->user_top);
  const struct pawl_strings own = same ? ignored : list_ignored(box, box->top);
  if (!ignored.count || ignored.count > MOST_SHOWN) return false;
  for (size_t i = 0; i < ignored.count; i++) {
    const char *name = ignored.items[i];
    const char *source = pawl_arena_printf(box->arena, "%s/%s", box->user_top, name);
    const char *here = pawl_arena_printf(box->arena, "%s/%s", box->top, name);
    struct stat info;
    if (lstat(source, &info) || S_ISLNK(info.st_mode)) continue; /* a link may lead anywhere */
    if (!pawl_file_absent(here) && !is_listed(&own, name)) continue;
    pawl_sandbox_view_add(&box->views, source,
                          pawl_arena_printf(box->arena, PAWL_BOX_TREE "/%s", name), PAWL_VIEW_READ);
  }
  return box->shows_ignored = true;
}
