/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/data_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "serve/badge.h"

#define SCRIPT_BEGINS "pawl.take("

static void data_folder_remember(const struct pawl_data_folder *folder, const char *name) {
  pawl_json_set_bool(folder->names, name, true);
}

pawl_status pawl_data_write_script(const struct pawl_data_folder *folder, const char *name,
                                   const char *json, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_printf(&text, SCRIPT_BEGINS "%s);\n", json);
  data_folder_remember(folder, name);
  return pawl_file_write_unsynced(path, text.data, text.length, err);
}

pawl_status pawl_data_write(const struct pawl_data_folder *folder, const char *name,
                            json_t *document, struct pawl_error *err) {
  char *json = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(document);
  if (!json) return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write '%s/%s'", folder->path, name);
  const enum pawl_status_code status = pawl_data_write_script(folder, name, json, err);
  free(json);
  return status;
}

pawl_status pawl_data_write_picture(const struct pawl_data_folder *folder, const char *name,
                                    const struct pawl_text *svg, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, name);
  data_folder_remember(folder, name);
  if (!svg->length) return pawl_remove_tree(path, err);
  return pawl_file_write_unsynced(path, svg->data, svg->length, err);
}

/* The files that a page has for each series or point: "trend-12.js". */
static const struct numbered_file {
  const char *prefix, *suffix, *begins;
} numbered[] = {{"trend-", ".js", SCRIPT_BEGINS},
                {"point-", ".js", SCRIPT_BEGINS},
                {"badge-", ".svg", PAWL_BADGE_BEGINS}};

static const struct numbered_file *find_numbered(const char *name) {
  for (size_t i = 0; i < PAWL_COUNT(numbered); i++) {
    if (!pawl_starts_with(name, numbered[i].prefix)) continue;
    const char *number = name + strlen(numbered[i].prefix),
               *rest = number + strspn(number, "0123456789");
    if (rest > number && !strcmp(rest, numbered[i].suffix)) return &numbered[i];
  }
  return NULL;
}

static bool begins_with(const char *path, const char *wanted) {
  char begin[64];
  const size_t length = strlen(wanted);
  FILE *file = pawl_is_regular(path) ? fopen(path, "rbe") : NULL;
  if (!file) return false;
  const size_t read = fread(begin, 1, length, file);
  fclose(file);
  return read == length && !memcmp(begin, wanted, length);
}

/* Removes a report with its pictures. */
static pawl_status remove_stale_report(const struct pawl_data_folder *folder,
                                       struct pawl_error *err) {
  static const char *const names[] = {"report.svg", "report-dark.svg", PAWL_DATA_REPORT};
  PAWL_CLEANUP(pawl_free_pointer) char *report = pawl_path_join(folder->path, PAWL_DATA_REPORT);
  if (json_object_get(folder->names, PAWL_DATA_REPORT) || !begins_with(report, SCRIPT_BEGINS))
    return PAWL_OK;
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, names[i]);
    PAWL_TRY(pawl_remove_tree(path, err));
  }
  return PAWL_OK;
}

pawl_status pawl_data_remove_stale(const struct pawl_data_folder *folder, struct pawl_error *err) {
  DIR *open = opendir(folder->path);
  enum pawl_status_code status = open ? remove_stale_report(folder, err) : PAWL_OK;
  if (!open) return pawl_fail(err, PAWL_IO, "cannot list '%s': %s", folder->path, strerror(errno));
  for (const struct dirent *entry; status == PAWL_OK && (entry = readdir(open));) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder->path, entry->d_name);
    const struct numbered_file *file = find_numbered(entry->d_name);
    if (json_object_get(folder->names, entry->d_name) || !file) continue;
    if (begins_with(path, file->begins)) status = pawl_remove_tree(path, err);
  }
  closedir(open);
  return status;
}
