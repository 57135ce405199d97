/* SPDX-License-Identifier: Apache-2.0 */
#include "import/criterion_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

#define MOST_ENTRIES 100000
#define MOST_LEVELS 16
#define MEASURED "new" /* beside "base", an earlier measurement */

struct criterion_walk {
  size_t root_length; /* the length of the folder's path */
  pawl_criterion_take *take;
  void *context;
  size_t entries;
};

/* A link has a kind of its own. */
static bool is_kind(const char *path, mode_t kind) {
  struct stat info;
  return !lstat(path, &info) && (info.st_mode & S_IFMT) == kind;
}

/* The path of a regular file of the folder; false: there is none. */
static bool find_file(const char *folder, const char *name, struct pawl_text *path) {
  path->length = 0;
  pawl_text_printf(path, "%s/%s", folder, name);
  return is_kind(path->data, S_IFREG);
}

/* benchmark.json: {group_id, full_id: "GROUP/FUNCTION/VALUE"}. */
static void name_by_document(const json_t *named, struct pawl_criterion_benchmark *benchmark) {
  const char *group = json_string_value(json_object_get(named, "group_id"));
  const char *full = json_string_value(json_object_get(named, "full_id"));
  if (!group || !full || !pawl_starts_with(full, group)) return;
  benchmark->group = group;
  benchmark->rest = full + strlen(group);
  if (*benchmark->rest == '/') benchmark->rest++;
}

/* `relative`: "GROUP/FUNCTION/VALUE"; it is cut in two. */
static void name_by_path(char *relative, struct pawl_criterion_benchmark *benchmark) {
  if (!*relative) return;
  char *slash = strchr(relative, '/');
  if (slash) *slash = '\0';
  benchmark->group = relative;
  benchmark->rest = slash ? slash + 1 : "";
}

/* Takes the benchmark in `folder`, if one is there. `relative`: the path that names it. */
static pawl_status criterion_folder_take_benchmark(struct criterion_walk *walk, const char *folder,
                                                   const char *relative, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0}, name_path = {0}, cut = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *named = NULL;
  struct pawl_error unreadable = {0}, unnamed = {0};
  struct pawl_criterion_benchmark benchmark = {0};
  if (!find_file(folder, "sample.json", &path) && !find_file(folder, "estimates.json", &path))
    return PAWL_OK;
  if (pawl_json_read(path.data, &document, &unreadable) != PAWL_OK)
    benchmark.fault = unreadable.message;
  benchmark.document = document;
  pawl_text_add(&cut, relative);
  name_by_path(cut.data, &benchmark);
  if (find_file(folder, "benchmark.json", &name_path) &&
      pawl_json_read(name_path.data, &named, &unnamed) == PAWL_OK)
    name_by_document(named, &benchmark);
  return walk->take(walk->context, &benchmark, err);
}

static pawl_status walk_folder(struct criterion_walk *walk, const char *folder, int level,
                               struct pawl_error *err);

static pawl_status walk_entry(struct criterion_walk *walk, const char *folder, const char *name,
                              int level, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  if (!is_kind(path, S_IFDIR)) return PAWL_OK;
  const char *relative = folder + walk->root_length;
  if (!strcmp(name, MEASURED))
    PAWL_TRY(criterion_folder_take_benchmark(walk, path, *relative == '/' ? relative + 1 : relative,
                                             err));
  return walk_folder(walk, path, level + 1, err); /* a benchmark may have the name "new" */
}

static pawl_status walk_folder(struct criterion_walk *walk, const char *folder, int level,
                               struct pawl_error *err) {
  struct dirent **entries;
  enum pawl_status_code status = PAWL_OK;
  if (level > MOST_LEVELS)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is nested more than %d deep", folder, MOST_LEVELS);
  const int count = scandir(folder, &entries, NULL, alphasort); /* in a stable order */
  if (count < 0) return pawl_fail_errno(err, errno, "cannot read the folder '%s'", folder);
  walk->entries += (size_t)count;
  if (walk->entries > MOST_ENTRIES)
    status = pawl_fail(err, PAWL_BAD_DATA, "'%s' has more than %d entries", folder, MOST_ENTRIES);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    if (status == PAWL_OK && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
      status = walk_entry(walk, folder, name, level, err);
    free(entries[i]);
  }
  free(entries);
  return status;
}

pawl_status pawl_criterion_walk(const char *folder, pawl_criterion_take *take, void *context,
                                struct pawl_error *err) {
  struct criterion_walk walk = {.root_length = strlen(folder), .take = take, .context = context};
  PAWL_TRY(criterion_folder_take_benchmark(&walk, folder, "", err));
  return walk_folder(&walk, folder, 0, err);
}
