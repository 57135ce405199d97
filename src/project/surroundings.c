/* SPDX-License-Identifier: Apache-2.0 */
#include "project/surroundings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/file.h"
#include "build/tree_copy.h"
#include "project/interpreters.h"

static const char *real_or_same(struct pawl_arena *arena, const char *path) {
  PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(path);
  return pawl_arena_copy(arena, real ? real : path);
}

static const char *surroundings_join(struct pawl_arena *arena, const char *folder,
                                     const char *name) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  return pawl_arena_copy(arena, path);
}

/* Returns whether the path is a folder of pawl's own in the tree, or holds one. */
static bool is_own(const struct pawl_surroundings *around, const char *path) {
  for (size_t i = 0; i < around->own.count; i++) {
    const char *own = around->own.items[i];
    if (pawl_path_holds(around->tree, own) &&
        (pawl_path_holds(own, path) || pawl_path_holds(path, own)))
      return true;
  }
  return false;
}

/* The compiled forms of Python's sources differ with the times of the sources. */
static bool is_python_cache(const char *name) {
  static const char cache[] = "__pycache__/";
  const size_t length = strlen(name), tail = sizeof cache - 1;
  return length >= tail && !strcmp(name + length - tail, cache);
}

/* A path that git ignores or that is a submodule. */
static void surroundings_add_path(const struct pawl_surroundings *around, struct pawl_arena *arena,
                                  struct pawl_strings *to, const char *name) {
  const size_t length = strlen(name);
  const char *bare = length && name[length - 1] == '/'
                         ? pawl_arena_printf(arena, "%.*s", (int)length - 1, name)
                         : name;
  if (is_python_cache(name) || is_own(around, surroundings_join(arena, around->tree, bare))) return;
  pawl_strings_add(to, arena, bare);
}

/* Lists the files to copy. A tree that git does not know, or that is too large, has none. */
static void surroundings_list_files(struct pawl_tree_files *out,
                                    const struct pawl_surroundings *around) {
  struct pawl_arena *arena = &out->arena;
  struct pawl_strings files, ignored, copied = {0};
  off_t bytes = 0;
  if (pawl_git_files(around->tree, false, arena, &files, NULL) != PAWL_OK ||
      pawl_git_files(around->tree, true, arena, &ignored, NULL) != PAWL_OK)
    return;
  for (size_t i = 0; i < files.count; i++) {
    struct stat info;
    if (lstat(surroundings_join(arena, around->tree, files.items[i]), &info)) continue;
    if (S_ISDIR(info.st_mode)) surroundings_add_path(around, arena, &out->beside, files.items[i]);
    if (S_ISDIR(info.st_mode)) continue;
    pawl_strings_add(&copied, arena, files.items[i]);
    bytes += info.st_size;
  }
  for (size_t i = 0; i < ignored.count; i++)
    surroundings_add_path(around, arena, &out->ignored, ignored.items[i]);
  if (copied.count && copied.count <= PAWL_COPIED_FILES && bytes <= PAWL_COPIED_BYTES)
    out->copied = copied.items;
}

static void surroundings_hide(struct pawl_surroundings *around, struct pawl_arena *arena,
                              const char *path) {
  pawl_strings_add(&around->hidden, arena, real_or_same(arena, path));
}

/* A path without a slash or a tilde at its beginning is below the folder of the user's suite. */
static void allow(const struct pawl_project *user, struct pawl_surroundings *around,
                  struct pawl_arena *arena) {
  const struct pawl_strings *files = &user->suite.measure.files;
  const char *folder = real_or_same(arena, user->paths.folder);
  for (size_t i = 0; i < files->count; i++) {
    const char *path = files->items[i];
    if (*path == '/')
      pawl_strings_add(&around->allowed, arena, path);
    else if (*path != '~')
      pawl_strings_add(&around->allowed, arena, surroundings_join(arena, folder, path));
    else if (around->user_home)
      pawl_strings_add(&around->allowed, arena,
                       pawl_arena_printf(arena, "%s%s", around->user_home, path + 1));
  }
  around->inputs = around->allowed;
}

const struct pawl_surroundings *pawl_project_surroundings(struct pawl_project *project) {
  if (project->surroundings) return project->surroundings;
  struct pawl_arena *arena = &project->arena;
  const struct pawl_project_options *options = &project->options;
  const struct pawl_project *parent = options->parent ? options->parent : project;
  const char *installed = project->paths.home, *home = getenv("HOME");
  const char *top = options->tree ? options->tree : project->git.root;
  struct pawl_surroundings *around = pawl_arena_alloc(arena, 1, sizeof *around);
  *around = (struct pawl_surroundings){
      .tree = real_or_same(arena, top ? top : project->paths.folder),
      .user_tree = real_or_same(arena, parent->git.root ? parent->git.root : parent->paths.folder),
      .pawl_home = *installed == '/' ? installed : real_or_same(arena, installed),
      .user_home = home && *home ? real_or_same(arena, home) : NULL};
  around->files = pawl_arena_alloc(arena, 1, sizeof *around->files);
  *around->files = (struct pawl_tree_files){.list = top ? surroundings_list_files : NULL,
                                            .lock = PTHREAD_MUTEX_INITIALIZER,
                                            .next = project->tree_files};
  project->tree_files = around->files;
  const char *const own[] = {project->paths.cache_folder,
                             pawl_suite_path(&project->paths, PAWL_OUTPUT_FOLDER)};
  for (size_t i = 0; i < PAWL_COUNT(own); i++) {
    surroundings_hide(around, arena, own[i]);
    pawl_strings_add(&around->own, arena, around->hidden.items[i]);
  }
  surroundings_hide(around, arena, around->tree);
  if (parent->git.root) surroundings_hide(around, arena, parent->git.root);
  allow(parent, around, arena);
  if (parent->suite.measure.isolation != PAWL_ISOLATE_OFF) pawl_interpreters_add(project, around);
  project->surroundings = around;
  return around;
}
