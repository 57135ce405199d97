/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/changed_files.h"

#include <string.h>

#include "base/count.h"
#include "build/git.h"
#include "forge/suite_paths.h"
#include "project/paths.h"
#include "suite/read.h"

/* GitHub lists at most 3000 files of a pull request and 300 of a comparison:
   https://docs.github.com/rest/pulls/pulls#list-pull-requests-files,
   https://docs.github.com/rest/commits/commits#compare-two-commits. */
#define MOST_FILES_OF_A_PULL 3000
#define MOST_FILES_OF_A_COMPARISON 300

/* Kinds of files that no compiler and no harness reads as code. */
static const char *const documents[] = {".md", ".rst", ".adoc", ".png", ".jpg", ".svg", ".pdf"};

struct suite_files {
  struct pawl_suite_paths paths;
  const char *below; /* the suite's folder below the root: "" or "bench/" */
};

static pawl_status read_suite_files(struct pawl_forge *forge, const char *suite_path,
                                    struct suite_files *out, struct pawl_error *err) {
  struct pawl_suite suite;
  struct pawl_git git;
  PAWL_TRY(pawl_suite_read(suite_path, forge->arena, &suite, err));
  PAWL_TRY(pawl_git_read(suite.folder, forge->arena, &git, err));
  const char *root;
  PAWL_TRY(pawl_suite_below(git.root, suite.folder, forge->arena, &root, &out->below, err));
  return pawl_suite_paths_find(&suite, root, forge->arena, &out->paths, err);
}

static bool is_document(const char *name) {
  for (size_t i = 0; i < PAWL_COUNT(documents); i++)
    if (pawl_ends_with(name, documents[i])) return true;
  return false;
}

/* Returns whether `name` lies in the folder of `file`, or below it. A header that comes or goes
 * there can change which file an #include finds. */
static bool is_beside(const char *name, const char *file) {
  const char *slash = strrchr(file, '/');
  return !strncmp(name, file, slash ? (size_t)(slash - file) + 1 : 0);
}

static bool file_touches(const struct suite_files *suite, const char *name, bool is_modified) {
  const bool is_below = pawl_starts_with(name, suite->below);
  if (pawl_starts_with(name, ".github/workflows/pawl") ||
      pawl_starts_with(name, ".forgejo/workflows/pawl"))
    return true;
  if (is_below && !strcmp(name + strlen(suite->below), PAWL_BASELINE_PATH)) return true;
  if (is_below && suite->paths.whole) return true;
  for (size_t i = 0; i < suite->paths.files.count; i++) {
    const char *file = suite->paths.files.items[i];
    if (!strcmp(name, file)) return true;
    if (!is_modified && !is_document(name) && is_beside(name, file)) return true;
  }
  return false;
}

/* Lists the files, objects with `filename`. Sets *whole if the server named every file. */
static pawl_status changed_files_list_files(struct pawl_forge *forge, json_t **out, bool *whole,
                                            struct pawl_error *err) {
  if (forge->is_pull_request) {
    struct pawl_forge_pulls pulls = {0};
    PAWL_TRY(pawl_forge_pull_requests(forge, &pulls, err));
    if (pulls.count != 1)
      return pawl_fail(err, PAWL_NO_INPUT, "the change belongs to %zu pull requests", pulls.count);
    const char *path = pawl_arena_printf(forge->arena, "/pulls/%lld/files%s", pulls.numbers[0],
                                         forge->follows_github ? "" : "?per_page=100");
    PAWL_TRY(pawl_forge_list(forge, path, out, err));
    *whole = json_array_size(*out) < MOST_FILES_OF_A_PULL;
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  long status;
  const struct pawl_forge_call call = {
      .method = "GET",
      .path = pawl_arena_printf(forge->arena, "/compare/%s...%s", forge->base_sha, forge->sha),
      .repeatable = true};
  PAWL_TRY(pawl_forge_send(forge, &call, &status, &answer, err));
  *out = json_incref(json_object_get(answer, "files"));
  *whole = json_array_size(*out) < MOST_FILES_OF_A_COMPARISON;
  return PAWL_OK;
}

static pawl_status compare(struct pawl_forge *forge, const char *suite_path, bool *touches,
                           struct pawl_error *err) {
  struct suite_files suite;
  bool whole = false;
  PAWL_TRY(read_suite_files(forge, suite_path, &suite, err));
  PAWL_CLEANUP(pawl_json_release) json_t *files = NULL;
  PAWL_TRY(changed_files_list_files(forge, &files, &whole, err));
  if (!whole || json_array_size(files) == 0)
    return pawl_fail(err, PAWL_NO_INPUT, "the server did not list every file of the change");
  *touches = false;
  for (size_t i = 0; i < json_array_size(files) && !*touches; i++) {
    const json_t *file = json_array_get(files, i);
    const char *name = json_string_value(json_object_get(file, "filename"));
    const char *before = json_string_value(json_object_get(file, "previous_filename"));
    const char *state = json_string_value(json_object_get(file, "status"));
    const bool is_modified = state && (!strcmp(state, "modified") || !strcmp(state, "changed"));
    *touches = !name || file_touches(&suite, name, is_modified) ||
               (before && file_touches(&suite, before, false));
  }
  return PAWL_OK;
}

void pawl_forge_touches(struct pawl_forge *forge, const char *suite_path, bool *touches) {
  struct pawl_error why = {0};
  *touches = true;
  const bool is_known = forge->is_pull_request || (forge->base_sha && forge->sha);
  if (forge->is_gitlab || forge->dry_run || !is_known || !forge->token) return;
  if (compare(forge, suite_path, touches, &why) != PAWL_OK)
    pawl_log_info(forge->log, "pawl measures, because it does not know what changed: %s",
                  why.message);
}
