/* SPDX-License-Identifier: Apache-2.0 */
#include "project/base_oracle.h"

#include <string.h>

#include "gate/baseline.h"
#include "project/change_base.h"
#include "project/kernels.h"

/* Returns the commit of the newest entry of the kernel in the baseline, or NULL. */
static const char *commit_of_baseline(struct pawl_project *project, const char *kernel_name) {
  struct pawl_baseline baseline;
  struct pawl_error ignored = {0};
  const struct pawl_baseline_entry *found = NULL;
  if (pawl_baseline_read(pawl_suite_path(&project->paths, PAWL_BASELINE_PATH), &project->arena,
                         &baseline, &ignored) != PAWL_OK)
    return NULL;
  for (size_t i = 0; i < baseline.count; i++) {
    const struct pawl_baseline_entry *entry = &baseline.entries[i];
    if (!pawl_text_equal(entry->kernel_name, kernel_name) || !entry->git_commit) continue;
    if (!found ||
        (entry->timestamp && found->timestamp && strcmp(entry->timestamp, found->timestamp) > 0))
      found = entry;
  }
  return found ? found->git_commit : NULL;
}

/* *strict: the base must have the kernel, because the tree is a change of main. */
static pawl_status find_commit(struct pawl_project *project, const char *kernel_name,
                               const char **commit, bool *strict, struct pawl_error *err) {
  struct pawl_change_base base = {0};
  struct pawl_error ignored = {0};
  *commit = NULL;
  *strict = false;
  if (!project->git.commit) return PAWL_OK;
  PAWL_TRY(pawl_change_base_read(&project->git, &project->arena, &base, err));
  *strict = base.merge_base && !base.on_main;
  if (*strict)
    *commit = base.merge_base;
  else
    *commit = commit_of_baseline(project, kernel_name);
  if (!*commit && project->git.dirty) *commit = project->git.commit;
  if (!*commit &&
      pawl_git_resolve(project->git.root, "HEAD^", &project->arena, commit, &ignored) != PAWL_OK)
    *commit = NULL;
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
  const char *commit;
  bool strict, found = false;
  PAWL_TRY(find_commit(project, spec->name, &commit, &strict, err));
  if (commit) {
    const enum pawl_status_code status = build_base(project, spec, commit, kernel, &found, err);
    if (status != PAWL_OK && (strict || status != PAWL_NO_INPUT)) return status;
  }
  if (!found && strict)
    return pawl_fail(err, PAWL_CONFIG,
                     "nothing judges the outputs of kernel '%s': its operator has 'oracle: base', "
                     "and the base %.12s does not have it; add it on main first, or use 'oracle: "
                     "reference NAME'",
                     spec->name, commit);
  if (!found) {
    pawl_log_warning(project->options.log,
                     "no base has kernel '%s' yet, so its own outputs are the expected values: be "
                     "sure of them before you record the baseline",
                     spec->name);
    PAWL_TRY(pawl_project_ready(project, spec, kernel, err));
  }
  *out = (struct pawl_base_answer){spec, &kernel->worker, found ? PAWL_ORACLE_BASE : "itself",
                                   project->base_answers};
  return PAWL_OK;
}

pawl_status pawl_base_oracle_use(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                 struct pawl_oracle *oracle, struct pawl_error *err) {
  if (!oracle || !oracle->by_base) return PAWL_OK;
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
