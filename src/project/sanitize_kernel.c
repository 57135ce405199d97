/* SPDX-License-Identifier: Apache-2.0 */
#include "project/sanitize_kernel.h"

#include "base/file.h"
#include "gate/verdict.h"
#include "project/check_kernel.h"

/* Returns why the tool cannot look at the kernel, or NULL if it can. */
static const char *reject(const struct pawl_kernel_spec *spec,
                          const struct pawl_sanitizer_tool *tool) {
  if (spec->kind != PAWL_FROM_SOURCES && spec->kind != PAWL_FROM_BUILD)
    return "the sanitizers run only plug-ins";
  if (tool->cuda != (spec->device == PAWL_CUDA))
    return tool->cuda ? "this tool is for CUDA kernels" : "this tool is for CPU kernels";
  if (tool->options && spec->kind == PAWL_FROM_BUILD)
    return "pawl does not compile it: build it with the sanitizer, or use 'memory'";
  return NULL;
}

/* Runs one tool, whose whole log stays in the cache folder. */
static pawl_status sanitize_kernel_run_tool(struct pawl_project *project,
                                            const struct pawl_ready_kernel *kernel,
                                            const struct pawl_sanitize_selection *selection,
                                            const struct pawl_sanitizer_tool *tool,
                                            struct pawl_sanitizer_report *out,
                                            struct pawl_error *err) {
  struct pawl_check_options options = {.seed = selection->seed};
  const struct pawl_kernel_spec *spec = kernel->spec;
  PAWL_TRY(pawl_ready_check_options(project, kernel, selection->only_case, NULL, &options, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(project->paths.cache_folder, "sanitizer");
  PAWL_TRY(pawl_make_folders(folder, err));
  const char *log =
      pawl_arena_printf(&project->arena, "%s/%s-%s.txt", folder, spec->name, tool->name);
  if (tool->cuda) return pawl_sanitize(&options, tool, log, &project->arena, out, err);
  return pawl_sanitize_on_cpu(&options, spec->compiler ? spec->compiler : "cc", tool, log,
                              &project->arena, out, err);
}

/* Builds the kernel for the tool. */
static pawl_status ready_for(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                             const struct pawl_sanitizer_tool *tool, struct pawl_ready_kernel *out,
                             struct pawl_error *err) {
  project->options.check_flags = tool->flags[0] ? tool->flags : NULL;
  const enum pawl_status_code status = pawl_project_ready(project, spec, out, err);
  project->options.check_flags = NULL;
  return status;
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
  struct pawl_log *log = project->options.log;
  made.reports = pawl_arena_alloc(&project->arena, PAWL_SANITIZER_TOOLS, sizeof *made.reports);
  for (size_t i = 0; selection->tools[i]; i++) {
    const struct pawl_sanitizer_tool *tool = selection->tools[i];
    struct pawl_ready_kernel kernel;
    const char *rejected = reject(spec, tool);
    if (rejected) {
      if (!made.skipped) made.skipped = rejected;
      continue;
    }
    pawl_log_progress(log, "%s under %s", spec->name, tool->name);
    PAWL_TRY(ready_for(project, spec, tool, &kernel, err));
    if (kernel.outcome != PAWL_OUTCOME_OK) {
      if (kernel.diagnostics) pawl_log_info(log, "%s", kernel.diagnostics);
      made.skipped = kernel.reason;
      if (kernel.outcome == PAWL_OUTCOME_BUILD) made.verdict = PAWL_FAILED;
      continue;
    }
    struct pawl_sanitizer_report *report = &made.reports[made.count++];
    PAWL_TRY(sanitize_kernel_run_tool(project, &kernel, selection, tool, report, err));
    pawl_log_progress(log, "%s", "");
    made.verdict = pawl_worse_status(made.verdict, verdict_of(report));
  }
  if (made.count && made.verdict != PAWL_FAILED) made.skipped = NULL;
  *out = made;
  return PAWL_OK;
}
