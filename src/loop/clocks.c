/* SPDX-License-Identifier: Apache-2.0 */
/* measure: {clocks: lock}. */
#include "loop/project.h"

void pawl_project_lock_clocks(struct pawl_project *project) {
  struct pawl_error why = {0};
  if (project->suite.measure.clocks != PAWL_CLOCKS_LOCK || project->clocks) return;
  const struct pawl_device *device = pawl_project_device(project, PAWL_CUDA, NULL);
  if (!device) return; /* a CPU's clocks are not ours to lock */
  if (pawl_clock_lock(device, &project->clock_lock, &why) == PAWL_OK)
    project->clocks = "locked";
  else
    project->clocks = pawl_arena_printf(&project->arena, "not locked: %s", why.message);
  pawl_log_info(project->options.log, "clocks of the GPU: %s", project->clocks);
}

void pawl_project_unlock_clocks(struct pawl_project *project) {
  struct pawl_error why = {0};
  if (pawl_clock_unlock(&project->clock_lock, &why) != PAWL_OK) pawl_log_info(project->options.log, "%s", why.message);
}
