/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/baseline_source.h"

#include <string.h>

#include "base/file.h"
#include "build/git.h"

const char *pawl_baseline_lock_path(const char *baseline, struct pawl_arena *arena) {
  const char *slash = strrchr(baseline, '/');
  const int length = slash ? (int)(slash - baseline) : 1;
  const char *folder = slash ? baseline : ".";
  /* This cuts the name, because "folder/.." needs a folder and the first update has none. */
  const char *upper = slash ? memrchr(baseline, '/', (size_t)length) : NULL;
  const char *ignored =
      upper   ? pawl_arena_printf(arena, "%.*s/.pawl", (int)(upper - baseline), baseline)
      : slash ? ".pawl"
              : "../.pawl";
  if (pawl_is_folder(ignored)) return pawl_arena_printf(arena, "%s/baseline.lock", ignored);
  return pawl_arena_printf(arena, "%.*s/.baseline.lock", length, folder);
}

static bool has_baseline(const struct pawl_project *project, const char *commit) {
  const char *text;
  size_t length;
  struct pawl_error ignored = {0};
  return pawl_change_base_file(&project->paths, &project->git, commit, PAWL_BASELINE_PATH, &text,
                               &length, &ignored) == PAWL_OK;
}

/* *absent: the merge base has no such file. */
static pawl_status compare_with_base(const struct pawl_run_context *run, const char *path,
                                     bool *same, bool *absent, struct pawl_error *err) {
  const struct pawl_project *project = run->project;
  const char *theirs = "";
  size_t length = 0;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text ours = {0};
  struct pawl_error why = {0};
  const enum pawl_status_code status =
      pawl_change_base_file(&project->paths, &project->git, run->change_base.merge_base,
                            PAWL_BASELINE_PATH, &theirs, &length, &why);
  if (status != PAWL_OK && status != PAWL_NO_INPUT)
    return pawl_fail(err, status, "%s", why.message);
  const bool here = pawl_file_exists(path);
  if (here) PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &ours, err));
  *absent = status == PAWL_NO_INPUT;
  *same =
      here != *absent && ours.length == length && (!length || !memcmp(ours.data, theirs, length));
  return PAWL_OK;
}

/* Only committed losses count as accepted, so HEAD must have the working tree's file. */
static bool is_committed(const struct pawl_project *project, const char *path) {
  const char *text;
  size_t length;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text here = {0};
  struct pawl_error ignored = {0};
  return pawl_change_base_file(&project->paths, &project->git, project->git.commit,
                               PAWL_BASELINE_PATH, &text, &length, &ignored) == PAWL_OK &&
         pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &here, &ignored) == PAWL_OK &&
         here.length == length && !memcmp(pawl_text_string(&here), text, length);
}

/* Finds the losses that the change accepts. They count if the base's policy says so; else the
   report says why not. */
static pawl_status find_acceptances(const struct pawl_run_context *run, const char *path,
                                    struct pawl_judging_baseline *judging, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  struct pawl_arena *arena = &project->arena;
  struct pawl_baseline ours;
  struct pawl_acceptances found;
  if (!pawl_file_exists(path) || !is_committed(project, path)) return PAWL_OK;
  PAWL_TRY(pawl_baseline_read(path, arena, &ours, err));
  pawl_acceptances_find(&ours, &judging->baseline, arena, &found);
  const struct pawl_git_change change =
      pawl_git_last_change(project->git.root, run->change_base.merge_base, path, arena);
  const bool allowed = project->suite.gate.accept == PAWL_ACCEPT_PULL_REQUEST;
  for (size_t i = 0; i < found.count; i++) {
    found.items[i].author = change.author;
    found.items[i].commit = change.commit;
    pawl_strings_add(
        run->notices, arena,
        pawl_arena_printf(
            arena, "this change accepts a loss of %s on %s%s: %s", found.items[i].kernel_name,
            found.items[i].case_name,
            allowed ? "" : ", but the gate of the base takes that only on main (accept)",
            found.items[i].reason));
  }
  if (allowed) judging->acceptances = found;
  return PAWL_OK;
}

pawl_status pawl_baseline_judging(const struct pawl_run_context *run,
                                  struct pawl_judging_baseline *out, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  struct pawl_judging_baseline judging = {.path =
                                              pawl_suite_path(&project->paths, PAWL_BASELINE_PATH)};
  bool same = true, absent = false;
  if (run->change_base.merge_base && !run->options->update_baseline)
    PAWL_TRY(compare_with_base(run, judging.path, &same, &absent, err));
  if (!same) {
    struct pawl_project *tree;
    judging.uncommitted =
        absent && pawl_file_exists(judging.path) && !has_baseline(project, project->git.commit);
    pawl_strings_add(run->notices, &project->arena,
                     judging.uncommitted
                         ? PAWL_BASELINE_PATH " is not committed, so it does not judge"
                         : pawl_arena_printf(&project->arena,
                                             "%s differs from the version in %.12s, which judges",
                                             PAWL_BASELINE_PATH, run->change_base.merge_base));
    PAWL_TRY(pawl_change_base_tree(project, run->change_base.merge_base, &tree, err));
    judging.path = pawl_suite_path(&tree->paths, PAWL_BASELINE_PATH);
  }
  PAWL_TRY(pawl_baseline_read(judging.path, &project->arena, &judging.baseline, err));
  if (!same)
    PAWL_TRY(
        find_acceptances(run, pawl_suite_path(&project->paths, PAWL_BASELINE_PATH), &judging, err));
  if (run->change_base.change)
    pawl_acceptances_find_removed(&project->suite, run->change_base.change, &project->arena,
                                  &judging.acceptances);
  *out = judging;
  return PAWL_OK;
}
