/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/baseline_source.h"

#include <string.h>

#include "base/file.h"

const char *pawl_baseline_lock_path(const char *baseline, struct pawl_arena *arena) {
  const char *slash = strrchr(baseline, '/');
  const int length = slash ? (int)(slash - baseline) : 1;
  const char *folder = slash ? baseline : ".";
  /* By name, not through "folder/..": the first update is before there is a folder. */
  const char *upper = slash ? memrchr(baseline, '/', (size_t)length) : NULL;
  const char *ignored = upper   ? pawl_arena_printf(arena, "%.*s/.pawl", (int)(upper - baseline), baseline)
                        : slash ? ".pawl"
                                : "../.pawl";
  if (pawl_is_folder(ignored)) return pawl_arena_printf(arena, "%s/baseline.lock", ignored);
  return pawl_arena_printf(arena, "%.*s/.baseline.lock", length, folder);
}

static bool has_baseline(struct pawl_project *project, const char *commit) {
  const char *text;
  size_t length;
  struct pawl_error ignored = {0};
  return pawl_lineage_file(project, commit, PAWL_BASELINE_PATH, &text, &length, &ignored) == PAWL_OK;
}

pawl_status pawl_baseline_judging(struct pawl_run_context *run, const char **path, struct pawl_baseline *out,
                                  struct pawl_error *err) {
  struct pawl_project *project = run->project;
  const char *judging = pawl_project_path(project, PAWL_BASELINE_PATH);
  if (run->lineage.merge_base && !run->options->update_baseline) {
    const char *theirs = "";
    size_t length = 0;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text ours = {0};
    struct pawl_error absent = {0};
    const enum pawl_status_code status =
        pawl_lineage_file(project, run->lineage.merge_base, PAWL_BASELINE_PATH, &theirs, &length, &absent);
    if (status != PAWL_OK && status != PAWL_NO_INPUT) return pawl_fail(err, status, "%s", absent.message);
    const bool here = pawl_file_exists(judging);
    if (here) PAWL_TRY(pawl_file_read(judging, PAWL_JSON_FILE_LIMIT, &ours, err));
    const bool same = ours.length == length && (!length || !memcmp(ours.data, theirs, length));
    if (!same || here != (status == PAWL_OK)) {
      struct pawl_project *tree;
      run->baseline_uncommitted = here && status == PAWL_NO_INPUT && !has_baseline(project, project->git.commit);
      pawl_strings_add(&run->notices, &project->arena,
                       run->baseline_uncommitted
                           ? PAWL_BASELINE_PATH " is not committed, so it does not judge"
                           : pawl_arena_printf(&project->arena, "%s differs from the version in %.12s, which judges",
                                               PAWL_BASELINE_PATH, run->lineage.merge_base));
      PAWL_TRY(pawl_lineage_tree(project, run->lineage.merge_base, &tree, err));
      judging = pawl_project_path(tree, PAWL_BASELINE_PATH);
    }
  }
  *path = judging;
  return pawl_baseline_read(judging, &project->arena, out, err);
}
