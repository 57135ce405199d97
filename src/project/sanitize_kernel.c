/* SPDX-License-Identifier: Apache-2.0 */
#include "project/sanitize_kernel.h"

#include "base/file.h"
#include "gate/verdict.h"
#include "project/check_kernel.h"

static bool is_cuda_plugin(const struct pawl_kernel_spec *spec) {
  return spec->device == PAWL_CUDA &&
         (spec->kind == PAWL_FROM_SOURCES || spec->kind == PAWL_FROM_BUILD);
}

/* Runs one tool, whose whole log stays in the cache folder. */
static pawl_status sanitize_kernel_run_tool(struct pawl_project *project,
                                            const struct pawl_ready_kernel *kernel,
                                            const struct pawl_sanitize_selection *selection,
                                            const char *tool, struct pawl_sanitizer_report *out,
                                            struct pawl_error *err) {
  struct pawl_check_options options;
  PAWL_TRY(pawl_ready_check_options(project, kernel, selection->only_case, NULL, selection->seed,
                                    &options, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(project->paths.cache_folder, "sanitizer");
  PAWL_TRY(pawl_make_folders(folder, err));
  const char *log =
      pawl_arena_printf(&project->arena, "%s/%s-%s.txt", folder, kernel->spec->name, tool);
  return pawl_sanitize(&options, tool, log, &project->arena, out, err);
}

static enum pawl_status_code verdict_of(const struct pawl_sanitizer_report *report) {
  if (report->log.count) return PAWL_FAILED;
  if (report->is_missing) return PAWL_UNAVAILABLE;
  return report->reason ? PAWL_UNDECIDED : PAWL_OK;
}

pawl_status pawl_project_sanitize(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                  const struct pawl_sanitize_selection *selection,
                                  struct pawl_sanitized_kernel *out, struct pawl_error *err) {
  struct pawl_sanitized_kernel made = {.kernel_name = spec->name};
  struct pawl_ready_kernel kernel;
  struct pawl_log *log = project->options.log;
  if (!is_cuda_plugin(spec)) {
    made.skipped = "the sanitizer runs only CUDA plug-ins";
    *out = made;
    return PAWL_OK;
  }
  PAWL_TRY(pawl_project_ready(project, spec, &kernel, err));
  if (kernel.outcome != PAWL_OUTCOME_OK) {
    if (kernel.diagnostics) pawl_log_info(log, "%s", kernel.diagnostics);
    made.skipped = kernel.reason;
    if (kernel.outcome == PAWL_OUTCOME_BUILD) made.verdict = PAWL_FAILED;
    *out = made;
    return PAWL_OK;
  }
  while (selection->tools[made.count]) made.count++;
  made.reports = pawl_arena_alloc(&project->arena, made.count, sizeof *made.reports);
  for (size_t i = 0; i < made.count; i++) {
    pawl_log_progress(log, "%s under %s", spec->name, selection->tools[i]);
    PAWL_TRY(sanitize_kernel_run_tool(project, &kernel, selection, selection->tools[i],
                                      &made.reports[i], err));
    pawl_log_progress(log, "%s", "");
    made.verdict = pawl_worse_status(made.verdict, verdict_of(&made.reports[i]));
  }
  *out = made;
  return PAWL_OK;
}
