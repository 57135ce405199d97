/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/build_phase.h"

#include "base/budget.h"
#include "base/progress.h"
#include "project/definitions.h"

static bool is_compiled(const struct pawl_ready_kernel *kernel) {
  const bool from_source =
      kernel->spec->kind == PAWL_FROM_SOURCES || kernel->spec->kind == PAWL_FROM_BUILD;
  return from_source && kernel->outcome != PAWL_OUTCOME_ABSENT &&
         kernel->outcome != PAWL_OUTCOME_INCONCLUSIVE;
}

void pawl_build_foresee(struct pawl_project *project, const struct pawl_selection *selection) {
  const struct pawl_kernel_spec **specs;
  size_t count;
  struct pawl_error ignored;
  if (pawl_kernels_named(&project->suite, &project->arena, NULL, 0, &specs, &count, &ignored) !=
      PAWL_OK)
    return;
  count = pawl_selection_keep_kernels(selection, &project->suite, specs, count);
  for (size_t i = 0; i < count; i++) pawl_kernel_foresee(project, specs[i]);
}

pawl_status pawl_build_phase(struct pawl_project *project, const struct pawl_selection *selection,
                             struct pawl_built *out, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  struct pawl_built built = {0};
  PAWL_TRY(
      pawl_kernels_named(&project->suite, &project->arena, NULL, 0, &specs, &built.count, err));
  built.count = pawl_selection_keep_kernels(selection, &project->suite, specs, built.count);
  built.kernels = pawl_arena_alloc(&project->arena, built.count, sizeof *built.kernels);
  built.reports = pawl_arena_alloc(&project->arena, built.count, sizeof *built.reports);
  for (size_t i = 0; i < built.count; i++) {
    struct pawl_ready_kernel *kernel = &built.kernels[i];
    const struct pawl_progress progress = {"building", (double)i, (double)built.count, false};
    pawl_progress_show(project->options.log, &progress, "%s", specs[i]->name);
    const enum pawl_status_code status = pawl_project_ready(project, specs[i], kernel, err);
    if (status != PAWL_OK && !pawl_budget_ended(status)) return status;
    if (status != PAWL_OK) pawl_kernel_leave(kernel, pawl_budget_words());
    if (status == PAWL_OK) pawl_params_warn(project, specs[i]);
    pawl_progress_end(project->options.log);
    /* now, because the report comes after what the other kernels take, and perhaps a wait */
    if (kernel->outcome == PAWL_OUTCOME_BUILD)
      pawl_log_info(project->options.log,
                    "BUILD FAILED: %s; pawl build %s shows all errors of the compiler",
                    kernel->spec->name, kernel->spec->name);
    if (!is_compiled(kernel)) continue;
    built.reports[built.report_count++] = (struct pawl_report_build){
        .kernel_name = kernel->spec->name,
        .ok = kernel->outcome == PAWL_OUTCOME_OK,
        .seconds = kernel->build.seconds,
        .compiles = kernel->build.compiles,
        .cache_hits = kernel->build.cache_hits,
        .diagnostics = kernel->outcome == PAWL_OUTCOME_OK ? NULL : kernel->diagnostics};
  }
  *out = built;
  return PAWL_OK;
}
