/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/next_step.h"

#include <stdlib.h>
#include <string.h>

#include "record/conclusion.h"

/* As the shell must write it: relative only where the shell stands beside the suite (-C goes elsewhere). */
static const char *baseline_path(struct pawl_project *project) {
  const char *shell = getenv("PWD");
  const bool beside = shell && !strcmp(shell, project->suite.folder);
  return beside ? PAWL_BASELINE_PATH : pawl_project_path(project, PAWL_BASELINE_PATH);
}

const char *pawl_next_step(const struct pawl_run_context *run, const struct pawl_run_report *report) {
  struct pawl_project *project = run->project;
  if (report->shards > 1) return NULL;
  if (run->baseline_uncommitted || report->move_count)
    return pawl_arena_printf(&project->arena,
                             "git add %s && git commit -m 'Record the baseline'; then edit a kernel, "
                             "and pawl run compares it",
                             baseline_path(project));
  if (pawl_run_conclusion(report) != PAWL_CONCLUSION_NEW) return NULL;
  if (!project->git.commit || project->git.dirty)
    return "commit the kernels and pawl.yaml, then pawl run --update-baseline";
  if (run->lineage.main_branch && !run->lineage.on_main)
    return pawl_arena_printf(&project->arena, "merge into '%s', then pawl run --update-baseline there",
                             run->lineage.main_branch);
  return "pawl run --update-baseline";
}
