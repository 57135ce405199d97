/* SPDX-License-Identifier: Apache-2.0 */
#include "build/command_inputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "build/tree_walk.h"
#include "build/words.h"

struct file_list {
  const char *root;
  struct pawl_words *paths;
  struct pawl_arena *arena;
};

static void list_file(void *context, const struct pawl_tree_item *item) {
  const struct file_list *list = context;
  if (item->type == DT_REG)
    pawl_words_printf(list->paths, list->arena, "%s/%s", list->root, item->path);
}

static struct pawl_inputs take_files(const struct pawl_build_options *options,
                                     struct pawl_arena *arena) {
  const struct pawl_input_look look =
      pawl_input_look_make(&options->compilers->inputs, options->cache_folder,
                           options->output_folder, options->seal_key);
  struct pawl_words paths = {0};
  struct file_list list = {options->folder, &paths, arena};
  pawl_tree_walk(options->folder, look.skipped, true, list_file, &list);
  struct pawl_inputs files = {pawl_arena_alloc(arena, paths.count + 1, sizeof *files.items),
                              paths.count, paths.count + 1};
  for (size_t i = 0; i < paths.count; i++)
    files.items[i] = (struct pawl_input){PAWL_INPUT_FILE, paths.items[i], {0, 0}};
  pawl_inputs_take(&files, &look);
  return files;
}

static int by_path(const void *a, const void *b) {
  const struct pawl_input *x = a, *y = b;
  return strcmp(x->path, y->path);
}

static bool is_older(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec < b->st_mtim.tv_sec ||
         (a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec < b->st_mtim.tv_nsec);
}

void pawl_command_inputs_touch(const struct pawl_build_options *options, const char *record) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_inputs before = {0};
  struct stat then, info;
  if (stat(record, &then) || !pawl_inputs_read(&before, &arena, record) || !before.count) return;
  qsort(before.items, before.count, sizeof *before.items, by_path);
  const struct pawl_inputs now = take_files(options, &arena);
  for (size_t i = 0; i < now.count; i++) {
    const struct pawl_input *file = &now.items[i];
    const struct pawl_input *old = bsearch(file, before.items, before.count, sizeof *file, by_path);
    if ((old && pawl_hash_equal(old->hash, file->hash)) || stat(file->path, &info) ||
        !is_older(&info, &then))
      continue;
    if (utimensat(AT_FDCWD, file->path, NULL, 0))
      pawl_log_warning(options->log,
                       "'%s' has new contents and an old time, which the build command may not "
                       "see; run touch on it",
                       file->path);
  }
}

pawl_status pawl_command_inputs_keep(const struct pawl_build_options *options, const char *record,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const struct pawl_inputs files = take_files(options, &arena);
  return pawl_inputs_write(&files, record, err);
}
