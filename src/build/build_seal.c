/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_seal.h"

#include <string.h>

#include "base/file.h"

#define PURPOSE "build"

/* Returns the allocated path of the seal. */
static char *seal_path(const struct pawl_build_plan *plan) {
  return pawl_path_join(plan->folder, "sealed");
}

/* Lists the files that the seal covers, in the arena. */
static struct pawl_words covered(const struct pawl_build_plan *plan, struct pawl_arena *arena) {
  struct pawl_words paths = {0};
  pawl_words_add(&paths, arena, plan->plugin);
  for (size_t i = 0; i < plan->unit_count; i++) {
    pawl_words_add(&paths, arena, plan->units[i].object);
    pawl_words_add(&paths, arena, plan->units[i].deps);
  }
  for (size_t i = 0; i < plan->copy_count; i++) pawl_words_add(&paths, arena, plan->copies[i].to);
  pawl_words_add(&paths, arena, plan->trace);
  pawl_words_add(&paths, arena, plan->record);
  pawl_words_add(&paths, arena, plan->answers);
  return paths;
}

/* The last part of the folder's name identifies the build and its source. */
static void add_folder(struct pawl_sealer *sealer, const struct pawl_build_plan *plan) {
  struct pawl_arena arena = {0};
  const struct pawl_words paths = covered(plan, &arena);
  pawl_sealer_add_string(sealer, strrchr(plan->folder, '/') + 1);
  for (size_t i = 0; i < paths.count; i++) {
    pawl_sealer_add_string(sealer, strrchr(paths.items[i], '/') + 1);
    pawl_sealer_add_file(sealer, paths.items[i]);
  }
  pawl_arena_clear(&arena);
}

/* Returns FOREIGN too if there is no seal, as in a new folder. */
static enum pawl_seal_state check_folder(const struct pawl_build_plan *plan,
                                         const struct pawl_seal_key *key) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = seal_path(plan);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_seal seal;
  struct pawl_sealer sealer;
  if (pawl_file_absent(path)) return PAWL_SEAL_FOREIGN;
  if (pawl_file_read(path, PAWL_SEAL_TEXT, &text, NULL) != PAWL_OK ||
      !pawl_seal_parse(pawl_text_string(&text), &seal))
    return PAWL_SEAL_BROKEN;
  pawl_sealer_init_check(&sealer, key, PURPOSE, &seal);
  add_folder(&sealer, plan);
  return pawl_sealer_check(&sealer, &seal);
}

pawl_status pawl_build_trust(struct pawl_build_plan *plan, const char *what,
                             const struct pawl_build_options *options, struct pawl_arena *arena,
                             struct pawl_error *err) {
  const enum pawl_seal_state state = check_folder(plan, options->seal_key);
  if (state == PAWL_SEAL_VALID) return PAWL_OK;
  if (state == PAWL_SEAL_BROKEN) {
    pawl_log_warning(options->log,
                     "%s: '%s' is not as pawl left it: a build was killed, or somebody wrote "
                     "there; pawl builds it again",
                     what, plan->folder);
  }
  const struct pawl_words paths = covered(plan, arena);
  for (size_t i = 0; i < paths.count; i++) PAWL_TRY(pawl_remove_tree(paths.items[i], err));
  return PAWL_OK;
}

pawl_status pawl_build_seal(const struct pawl_build_plan *plan,
                            const struct pawl_build_options *options, struct pawl_error *err) {
  if (check_folder(plan, options->seal_key) == PAWL_SEAL_VALID) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer) char *path = seal_path(plan);
  struct pawl_sealer sealer;
  char text[PAWL_SEAL_TEXT];
  pawl_sealer_init(&sealer, options->seal_key, PURPOSE);
  add_folder(&sealer, plan);
  const struct pawl_seal seal = pawl_sealer_finish(&sealer);
  pawl_seal_format(&seal, text);
  return pawl_file_write_unsynced(path, text, sizeof text - 1, err);
}

const struct pawl_known_files *pawl_build_files(const struct pawl_build_plan *plan,
                                                const struct pawl_seal_key *key,
                                                struct pawl_arena *arena) {
  struct pawl_words paths = {0};
  pawl_words_add(&paths, arena, plan->plugin);
  for (size_t i = 0; i < plan->copy_count; i++) pawl_words_add(&paths, arena, plan->copies[i].to);
  return pawl_known_files_take(paths.items, paths.count, key, arena);
}
