/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/run.h"

#include "base/count.h"
#include "base/file.h"
#include "base/ndjson.h"
#include "sweep/folder.h"
#include "sweep/measure.h"

#define LOCK ".lock"

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

/* Stores the plan of a new sweep, or reads the blocks of an old one. */
static pawl_status sweep_open(struct pawl_project *project,
                              const struct pawl_sweep_options *options,
                              const struct pawl_sweep_plan *plan, struct pawl_sweep *sweep,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(options->folder, PAWL_SWEEP_PLAN);
  PAWL_CLEANUP(pawl_free_pointer)
  char *journal = pawl_path_join(options->folder, PAWL_SWEEP_JOURNAL);
  if (pawl_file_absent(path)) {
    PAWL_TRY(sweep_replaces_nothing(options->folder, err));
    PAWL_CLEANUP(pawl_json_release)
    json_t *document = pawl_struct_write(&pawl_sweep_plan_fields, plan);
    *sweep = (struct pawl_sweep){.plan = *plan, .documents = json_array()};
    return pawl_json_write(path, document, true, err);
  }
  PAWL_TRY(pawl_ndjson_mend(journal, err));
  PAWL_TRY(pawl_sweep_read(options->folder, &project->arena, sweep, err));
  const enum pawl_status_code status =
      pawl_sweep_same_plan(&sweep->plan, plan, options->folder, err);
  if (status != PAWL_OK) pawl_sweep_release(sweep);
  return status;
}

static pawl_status sweep_write_claims(const struct pawl_sweep *sweep, const char *folder,
                                      const char *key, struct pawl_arena *arena,
                                      struct pawl_sweep_claims *out, struct pawl_error *err) {
  PAWL_TRY(pawl_sweep_claim(sweep, arena, out, err));
  if (!sweep->block_count)
    return pawl_fail(err, PAWL_TRY_AGAIN,
                     "'%s' has no block yet; the same command without a budget goes on", folder);
  const struct pawl_sweep_view view = {sweep, out};
  return pawl_sweep_write_folder(&view, folder, key, err);
}

pawl_status pawl_sweep_rewrite(const char *folder, const char *key, struct pawl_arena *arena,
                               struct pawl_sweep *sweep, struct pawl_sweep_claims *out,
                               struct pawl_error *err) {
  struct pawl_lock lock = {.fd = -1};
  PAWL_CLEANUP(pawl_free_pointer) char *lock_path = pawl_path_join(folder, LOCK);
  if (pawl_is_folder(folder)) PAWL_TRY(pawl_lock_acquire(&lock, lock_path, 0, err));
  enum pawl_status_code status = pawl_sweep_read(folder, arena, sweep, err);
  if (status == PAWL_OK) {
    status = sweep_write_claims(sweep, folder, key, arena, out, err);
    if (status != PAWL_OK) pawl_sweep_release(sweep);
  }
  pawl_lock_release(&lock);
  return status;
}

pawl_status pawl_sweep_run(struct pawl_project *project, const struct pawl_sweep_options *options,
                           const char *key, struct pawl_sweep *sweep, struct pawl_sweep_claims *out,
                           struct pawl_error *err) {
  struct pawl_sweep_plan plan;
  struct pawl_ready_kernel *kernels;
  struct pawl_lock lock = {.fd = -1};
  PAWL_CLEANUP(pawl_free_pointer) char *lock_path = pawl_path_join(options->folder, LOCK);
  PAWL_TRY(pawl_sweep_make_plan(project, options, &plan, &kernels, err));
  PAWL_TRY(pawl_make_folders(options->folder, err));
  PAWL_TRY(pawl_lock_acquire(&lock, lock_path, 0, err));
  enum pawl_status_code status = sweep_open(project, options, &plan, sweep, err);
  if (status == PAWL_OK) {
    status = pawl_sweep_measure(project, kernels, options->folder, sweep, err);
    if (status == PAWL_OK)
      status = sweep_write_claims(sweep, options->folder, key, &project->arena, out, err);
    if (status != PAWL_OK) pawl_sweep_release(sweep);
  }
  pawl_lock_release(&lock);
  return status;
}
