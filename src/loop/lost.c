/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU that fails in the middle of the work: what was to run on it is told with the reason, the rest goes on. */
#include "device/backends.h"
#include "loop/run.h"

bool pawl_loop_gpu_is_lost(struct pawl_project *project, const struct pawl_kernel_spec *spec) {
  if (spec->device != PAWL_CUDA) return false;
  const struct pawl_device_backend *backend = pawl_device_backend(PAWL_CUDA);
  const struct pawl_device *gpu = pawl_project_device(project, PAWL_CUDA, NULL);
  const char *why = !project->gpu_lost && gpu ? backend->lost(gpu, &project->arena) : NULL;
  if (why)
    project->gpu_lost = pawl_arena_printf(&project->arena, "GPU %d (%s) was lost: %s", gpu->index,
                                          gpu->uuid ? gpu->uuid : "no UUID", why);
  return project->gpu_lost != NULL;
}

bool pawl_loop_leave_lost(struct pawl_project *project, struct pawl_ready_kernel *kernel) {
  if (!project->gpu_lost || kernel->spec->device != PAWL_CUDA || kernel->outcome != PAWL_OUTCOME_OK) return false;
  kernel->outcome = PAWL_OUTCOME_INCONCLUSIVE;
  kernel->reason = project->gpu_lost;
  return true;
}
