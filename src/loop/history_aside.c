/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/history_aside.h"

#include <dirent.h>

#include "base/file.h"

#define WAITING ".pawl/waiting"
#define ENDING ".ndjson"
#define FILE_LIMIT ((size_t)256 << 20) /* bytes */

pawl_status pawl_history_set_aside(const struct pawl_suite *suite,
                                   const struct pawl_history_run *run, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(suite->folder, WAITING);
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_history_run_to_json(run);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_json_write_text(document, true, &text);
  pawl_text_printf(&path, "%s/%s" ENDING, folder, run->id);
  PAWL_TRY(pawl_make_folders(folder, err));
  return pawl_file_write(path.data, text.data, text.length, err);
}

static pawl_status take_in(struct pawl_store *store, const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_arena arena = {0};
  struct pawl_history_run run;
  enum pawl_status_code status = pawl_file_read(path, FILE_LIMIT, &text, err);
  if (status == PAWL_OK)
    status = pawl_json_parse(text.data, text.length, path, false, &document, err);
  if (status == PAWL_OK) status = pawl_history_run_from_json(document, path, &arena, &run, err);
  if (status == PAWL_OK) status = pawl_store_add(store, &run, NULL, err);
  if (status == PAWL_OK) status = pawl_file_remove_old(path, err);
  pawl_arena_clear(&arena);
  return status;
}

void pawl_history_take_in(const struct pawl_suite *suite, struct pawl_store *store,
                          struct pawl_log *log) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(suite->folder, WAITING);
  DIR *entries = opendir(folder);
  size_t taken = 0;
  for (const struct dirent *entry; entries && (entry = readdir(entries));) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, entry->d_name);
    struct pawl_error err = {0};
    if (*entry->d_name == '.' || !pawl_ends_with(entry->d_name, ENDING)) continue;
    if (take_in(store, path, &err) == PAWL_OK)
      taken++;
    else
      pawl_log_warning(log, "the history did not take in '%s': %s", path, err.message);
  }
  if (entries) closedir(entries);
  if (taken) pawl_log_info(log, "the history took in %zu runs that waited", taken);
}
