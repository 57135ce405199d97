/* SPDX-License-Identifier: Apache-2.0 */
#include "project/base_oracle.h"

#include <string.h>

#include "gate/baseline.h"
#include "project/change_base.h"
#include "project/kernels.h"

/* Returns the commit of the newest entry of the kernel in the baseline, or NULL. */
static const char *commit_of_baseline(const struct pawl_baseline *baseline,
                                      const char *kernel_name) {
  const struct pawl_baseline_entry *found = NULL;
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (!pawl_text_equal(entry->kernel_name, kernel_name) || !entry->git_commit) continue;
    if (!found ||
        (entry->timestamp && found->timestamp && strcmp(entry->timestamp, found->timestamp) > 0))
      found = entry;
  }
  return found ? found->git_commit : NULL;
}

#define LOOKED_AT                                                                             \
  "if you have read them and they are right, add --trust-outputs to 'pawl check' and to the " \
  "first 'pawl run --update-baseline'"

/* Finds the commit that judges the kernel. *why says why there is none. On main alone the tree's
   own baseline says which, because a change could edit it. *on_main is true without git too. */
static pawl_status find_judge(struct pawl_project *project, const char *kernel_name,
                              const char **commit, bool *on_main, const char **why,
                              struct pawl_error *err) {
  struct pawl_change_base base = {0};
  struct pawl_baseline baseline;
  *why = "there is no commit yet; " LOOKED_AT;
  *on_main = !project->options.oracle_commit;
  *commit = project->options.oracle_commit;
  if (*commit || !project->git.commit) return PAWL_OK;
  PAWL_TRY(pawl_change_base_read(&project->git, &project->arena, &base, err));
  *why = base.main_branch ? "this commit shares no commit with main here; git fetch --unshallow"
                          : "there is no origin/HEAD, main or master to find the base in; git "
                            "fetch origin main, or git remote set-head origin BRANCH";
  *on_main = base.on_main;
  *commit = base.merge_base;
  if (!base.on_main) return PAWL_OK;
  PAWL_TRY(pawl_baseline_read(pawl_suite_path(&project->paths, PAWL_BASELINE_PATH), &project->arena,
                              &baseline, err));
  *commit = commit_of_baseline(&baseline, kernel_name);
  *why = "the baseline has no entry of it; " LOOKED_AT;
  return PAWL_OK;
}

/* Builds the base's kernel. *found stays false if the base does not have it. */
static pawl_status build_base(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                              const char *commit, struct pawl_ready_kernel *out, bool *found,
                              struct pawl_error *err) {
  struct pawl_project *tree;
  *found = false;
  PAWL_TRY(pawl_change_base_tree(project, commit, &tree, err));
  const struct pawl_kernel_spec *theirs = pawl_suite_kernel(&tree->suite, spec->name);
  if (!theirs || !pawl_text_equal(theirs->operator_name, spec->operator_name)) return PAWL_OK;
  PAWL_TRY(pawl_project_ready(tree, theirs, out, err));
  if (out->outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "cannot use 'oracle: base' for kernel '%s': the base %.12s fails: %s",
                     spec->name, commit, out->reason);
  *found = true;
  return PAWL_OK;
}

static pawl_status make_answer(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_base_answer *out, struct pawl_error *err) {
  struct pawl_ready_kernel *kernel = pawl_arena_alloc(&project->arena, 1, sizeof *kernel);
  const char *commit, *why;
  bool on_main, found = false;
  PAWL_TRY(find_judge(project, spec->name, &commit, &on_main, &why, err));
  if (commit) {
    PAWL_TRY(build_base(project, spec, commit, kernel, &found, err));
    why = pawl_arena_printf(
        &project->arena, "the base %.12s does not have it; %s", commit,
        on_main ? LOOKED_AT : "add it on main first, or use 'oracle: reference NAME'");
  }
  if (!found && !(on_main && project->options.trusts_outputs))
    return pawl_fail(err, PAWL_CONFIG,
                     "nothing judges the outputs of kernel '%s', whose operator has 'oracle: "
                     "base': %s",
                     spec->name, why);
  if (!found) {
    pawl_log_warning(project->options.log,
                     "nothing but your --trust-outputs judges the outputs of kernel '%s': they are "
                     "the expected values",
                     spec->name);
    PAWL_TRY(pawl_project_ready(project, spec, kernel, err));
  }
  *out = (struct pawl_base_answer){spec, &kernel->worker, found ? PAWL_ORACLE_BASE : "itself",
                                   project->base_answers};
  return PAWL_OK;
}

pawl_status pawl_base_oracle_use(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                 struct pawl_oracle *oracle, struct pawl_error *err) {
  if (!oracle) return PAWL_OK;
  const struct pawl_device *gpu =
      spec->device == PAWL_CUDA ? pawl_devices_find(&project->devices, PAWL_CUDA, NULL) : NULL;
  oracle->gpu_bytes = gpu && gpu->memory_bytes > 0 ? gpu->memory_bytes : 0;
  if (!oracle->by_base) return PAWL_OK;
  struct pawl_base_answer *answer = project->base_answers;
  while (answer && strcmp(answer->spec->name, spec->name) != 0) answer = answer->next;
  if (!answer) {
    answer = pawl_arena_alloc(&project->arena, 1, sizeof *answer);
    PAWL_TRY(make_answer(project, spec, answer, err));
    project->base_answers = answer;
  }
  if (oracle->reference != answer->worker)
    pawl_oracle_use_reference(oracle, answer->worker, answer->is);
  return PAWL_OK;
}
