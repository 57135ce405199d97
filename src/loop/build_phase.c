/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/build_phase.h"

static bool is_compiled(const struct pawl_ready_kernel *kernel) {
  const bool from_source = kernel->spec->kind == PAWL_FROM_SOURCES || kernel->spec->kind == PAWL_FROM_BUILD;
  return from_source && kernel->outcome != PAWL_OUTCOME_ABSENT;
}

pawl_status pawl_build_phase(struct pawl_run_context *run, struct pawl_built *out, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  const struct pawl_kernel_spec **specs;
  struct pawl_built built = {0};
  PAWL_TRY(pawl_project_kernels(project, NULL, 0, &specs, &built.count, err));
  built.count = pawl_shard_keep_kernels(&run->options->shard, &project->suite, specs, built.count);
  built.kernels = pawl_arena_alloc(&project->arena, built.count, sizeof *built.kernels);
  built.reports = pawl_arena_alloc(&project->arena, built.count, sizeof *built.reports);
  for (size_t i = 0; i < built.count; i++) {
    struct pawl_ready_kernel *kernel = &built.kernels[i];
    pawl_log_progress(project->options.log, "building %s", specs[i]->name);
    PAWL_TRY(pawl_project_ready(project, specs[i], kernel, err));
    pawl_log_progress(project->options.log, "%s", "");
    if (!is_compiled(kernel)) continue;
    built.reports[built.report_count++] =
        (struct pawl_report_build){.kernel_name = kernel->spec->name,
                                   .ok = kernel->outcome == PAWL_OUTCOME_OK,
                                   .seconds = kernel->build.seconds,
                                   .compiles = kernel->build.compiles,
                                   .cache_hits = kernel->build.cache_hits,
                                   .diagnostics = kernel->outcome == PAWL_OUTCOME_OK ? NULL : kernel->diagnostics};
  }
  *out = built;
  return PAWL_OK;
}
