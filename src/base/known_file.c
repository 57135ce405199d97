/* SPDX-License-Identifier: Apache-2.0 */
#include "base/known_file.h"

#define PURPOSE "known file"

const struct pawl_known_files *pawl_known_files_take(const char *const *paths, size_t count,
                                                     const struct pawl_seal_key *key,
                                                     struct pawl_arena *arena) {
  struct pawl_known_files *files = pawl_arena_alloc(arena, 1, sizeof *files);
  *files =
      (struct pawl_known_files){key, pawl_arena_alloc(arena, count, sizeof *files->items), count};
  for (size_t i = 0; i < count; i++) {
    struct pawl_known_file *file = &files->items[i];
    struct pawl_sealer sealer;
    file->path = pawl_arena_copy(arena, paths[i]);
    if (lstat(file->path, &file->info)) file->info = (struct stat){0};
    pawl_sealer_init(&sealer, key, PURPOSE);
    pawl_sealer_add_file(&sealer, file->path);
    file->seal = pawl_sealer_finish(&sealer);
  }
  return files;
}

static bool same_moment(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Compares the properties. Nobody can set the time of an inode's last change (ctime) except by the
   machine's clock. */
static bool is_untouched(const struct stat *then, const struct stat *now) {
  return S_ISREG(now->st_mode) && then->st_dev == now->st_dev && then->st_ino == now->st_ino &&
         then->st_size == now->st_size && same_moment(then->st_mtim, now->st_mtim) &&
         same_moment(then->st_ctim, now->st_ctim);
}

static bool has_changed(const struct pawl_known_file *file, const struct pawl_seal_key *key) {
  struct stat now;
  if (lstat(file->path, &now) || !S_ISREG(now.st_mode)) return true;
  if (is_untouched(&file->info, &now)) return false;
  struct pawl_sealer sealer;
  pawl_sealer_init_check(&sealer, key, PURPOSE, &file->seal);
  pawl_sealer_add_file(&sealer, file->path);
  return pawl_sealer_check(&sealer, &file->seal) != PAWL_SEAL_VALID;
}

const char *pawl_known_files_changed(const struct pawl_known_files *files) {
  for (size_t i = 0; files && i < files->count; i++)
    if (has_changed(&files->items[i], files->key)) return files->items[i].path;
  return NULL;
}
