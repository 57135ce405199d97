/* SPDX-License-Identifier: Apache-2.0 */
#include "project/paths.h"

#include "base/file.h"
#include "base/user_folder.h"

static const char *join(const struct pawl_paths *paths, const char *folder, const char *relative) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, relative);
  return pawl_arena_copy(paths->arena, path);
}

const char *pawl_home_path(const struct pawl_paths *paths, const char *relative) {
  return join(paths, paths->home, relative);
}

const char *pawl_suite_path(const struct pawl_paths *paths, const char *relative) {
  return join(paths, paths->folder, relative);
}

pawl_status pawl_paths_find(const char *folder, const char *cache_folder, struct pawl_arena *arena,
                            struct pawl_paths *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  struct pawl_paths paths = {
      .home = pawl_arena_copy(arena, home), .folder = folder, .arena = arena};
  if (!pawl_file_exists(pawl_home_path(&paths, "libexec/pawl/pawl-worker")))
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "pawl's own files are not at '%s': set PAWL_HOME to the installation folder",
                     home);
  paths.include_folder = pawl_home_path(&paths, "include");
  paths.cache_folder = cache_folder ? cache_folder : pawl_suite_path(&paths, ".pawl");
  PAWL_TRY(pawl_make_ignored_folder(paths.cache_folder, err));
  PAWL_CLEANUP(pawl_free_pointer) char *user_cache = pawl_user_folder("XDG_CACHE_HOME", ".cache");
  paths.machine_folder = user_cache ? pawl_arena_copy(arena, user_cache) : paths.cache_folder;
  *out = paths;
  return PAWL_OK;
}

pawl_status pawl_oracle_folder(const struct pawl_paths *paths, const char **out,
                               struct pawl_error *err) {
  const char *folder = join(paths, paths->cache_folder, "oracle");
  PAWL_TRY(pawl_make_folders(folder, err));
  *out = folder;
  return PAWL_OK;
}

pawl_status pawl_output_folder(const struct pawl_paths *paths, const char **out,
                               struct pawl_error *err) {
  const char *folder = pawl_suite_path(paths, PAWL_OUTPUT_FOLDER);
  PAWL_TRY(pawl_make_ignored_folder(folder, err));
  *out = folder;
  return PAWL_OK;
}
