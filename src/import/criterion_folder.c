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
  size_t root_length; /* of the folder's path */
  pawl_criterion_take *take;
  void *context;
  size_t entries;
};

/* Links are of no kind that is asked for. */
static bool is_kind(const char *path, mode_t kind) {
  struct stat info;
  return !lstat(path, &info) && (info.st_mode & S_IFMT) == kind;
}

/* A regular file of the folder, itself and not by a link; *out stays NULL where there is none. */
static pawl_status read_file(const char *folder, const char *name, struct pawl_text *path,
                             json_t **out, struct pawl_error *err) {
  path->length = 0;
  pawl_text_printf(path, "%s/%s", folder, name);
  return is_kind(path->data, S_IFREG) ? pawl_json_read(path->data, out, err) : PAWL_OK;
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
static pawl_status take_benchmark(struct criterion_walk *walk, const char *folder,
                                  const char *relative, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0}, name_path = {0}, cut = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *named = NULL;
  PAWL_TRY(read_file(folder, "sample.json", &path, &document, err));
  if (!document) PAWL_TRY(read_file(folder, "estimates.json", &path, &document, err));
  if (!document) return PAWL_OK;
  PAWL_TRY(read_file(folder, "benchmark.json", &name_path, &named, err));
  struct pawl_criterion_benchmark benchmark = {.path = path.data, .document = document};
  pawl_text_add(&cut, relative);
  name_by_path(cut.data, &benchmark);
  name_by_document(named, &benchmark);
  return walk->take(walk->context, &benchmark, err);
}

static pawl_status walk_folder(struct criterion_walk *walk, const char *folder, int level,
                               struct pawl_error *err);

static pawl_status walk_entry(struct criterion_walk *walk, const char *folder, const char *name,
                              int level, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  if (!is_kind(path, S_IFDIR)) return PAWL_OK;
  if (strcmp(name, MEASURED) != 0) return walk_folder(walk, path, level + 1, err);
  const char *relative = folder + walk->root_length;
  return take_benchmark(walk, path, *relative == '/' ? relative + 1 : relative, err);
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
  PAWL_TRY(take_benchmark(&walk, folder, "", err));
  return walk_folder(&walk, folder, 0, err);
}
