/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/open.h"

#include "base/count.h"
#include "base/file.h"
#include "base/ndjson.h"
#include "build/git.h"
#include "project/paths.h"
#include "sweep/files.h"

/* Fails if a folder without a plan has a file that the sweep would replace, such as a repository's
   README.md, or samples of another sweep. */
static pawl_status sweep_replaces_nothing(const char *folder, struct pawl_error *err) {
  static const char *const others[] = {PAWL_SWEEP_SUMS, PAWL_SWEEP_SAMPLES, PAWL_SWEEP_JOURNAL};
  for (size_t i = 0; i < PAWL_COUNT(others) + pawl_sweep_file_count; i++) {
    const char *name =
        i < PAWL_COUNT(others) ? others[i] : pawl_sweep_files[i - PAWL_COUNT(others)].name;
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
    if (!pawl_file_absent(path))
      return pawl_fail(
          err, PAWL_USAGE,
          "'%s' holds no sweep, and a sweep there would replace its '%s': name another "
          "folder with -o",
          folder, name);
  }
  return PAWL_OK;
}

pawl_status pawl_sweep_open(const char *folder, const struct pawl_sweep_plan *plan,
                            struct pawl_arena *arena, struct pawl_sweep *sweep,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, PAWL_SWEEP_PLAN);
  PAWL_CLEANUP(pawl_free_pointer)
  char *journal = pawl_path_join(folder, PAWL_SWEEP_JOURNAL);
  if (pawl_file_absent(path)) {
    PAWL_TRY(sweep_replaces_nothing(folder, err));
    PAWL_CLEANUP(pawl_json_release)
    json_t *document = pawl_struct_write(&pawl_sweep_plan_fields, plan);
    *sweep = (struct pawl_sweep){.plan = *plan, .documents = json_array()};
    return pawl_json_write(path, document, true, err);
  }
  PAWL_TRY(pawl_ndjson_mend(journal, err));
  PAWL_TRY(pawl_sweep_read(folder, arena, sweep, err));
  const enum pawl_status_code status = pawl_sweep_same_plan(&sweep->plan, plan, folder, err);
  if (status != PAWL_OK) pawl_sweep_release(sweep);
  return status;
}

pawl_status pawl_sweep_stays_apart(const struct pawl_project *project, const char *opener,
                                   const char *folder, struct pawl_error *err) {
  if (!opener) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer) char *tree = pawl_path_real(project->paths.folder);
  PAWL_CLEANUP(pawl_free_pointer) char *own = pawl_path_real(folder);
  PAWL_CLEANUP(pawl_free_pointer) char *output = pawl_path_join(tree, PAWL_OUTPUT_FOLDER);
  if (!own || !pawl_path_holds(tree, own) || pawl_path_holds(output, own) ||
      !pawl_git_sees(tree, own))
    return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "'%s' can open files, so the files in '%s' belong to its code and the sweep "
                   "could not go on later; put -o below " PAWL_OUTPUT_FOLDER
                   " or outside of the repository",
                   opener, folder);
}
