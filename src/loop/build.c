/* SPDX-License-Identifier: Apache-2.0 */
/* Building alone, before others measure what was built. */
#include "loop/run.h"

pawl_status pawl_loop_build(struct pawl_project *project, char **names, int count, bool *cpu_kernels,
                            struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  struct pawl_log *log = project->options.log;
  size_t spec_count;
  bool found = false;
  PAWL_TRY(pawl_project_kernels(project, names, count, &specs, &spec_count, err));
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_ready_kernel kernel;
    found = found || specs[i]->device != PAWL_CUDA;
    pawl_log_progress(log, "building %s", specs[i]->name);
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernel, err));
    pawl_log_progress(log, "%s", "");
    if (kernel.diagnostics) pawl_log_info(log, "%s", kernel.diagnostics);
  }
  if (cpu_kernels) *cpu_kernels = found;
  return PAWL_OK;
}
