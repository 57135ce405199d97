/* SPDX-License-Identifier: Apache-2.0 */
#include "project/check_kernel.h"

#include <math.h>
#include <string.h>

#include "model/dtype.h"
#include "project/base_oracle.h"

#define UNDER_SECONDS 3600.0 /* the timeout of one request under a debugger */

pawl_status pawl_ready_check_options(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, const char *only_case,
                                     const char *assignments, struct pawl_check_options *out,
                                     struct pawl_error *err) {
  struct pawl_oracle *oracle;
  PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
  if (!pawl_kernel_is_only_code(kernel))
    PAWL_TRY(pawl_base_oracle_use(project, kernel->spec, oracle, err));
  else if (oracle->by_base)
    pawl_oracle_use_reference(oracle, NULL, NULL); /* without a call, nothing has to answer */
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, only_case, assignments,
                               &project->arena, &cases, &count, err));
  out->worker = &kernel->worker;
  out->oracle = oracle;
  out->spec = pawl_suite_check(&project->suite, oracle->info.name);
  out->cases_only = only_case || assignments;
  out->cases = cases;
  out->case_count = count;
  out->threads = pawl_measure_threads(&project->suite.measure);
  out->log = project->options.log;
  return PAWL_OK;
}

pawl_status pawl_check_ready_kernel(struct pawl_project *project,
                                    const struct pawl_ready_kernel *kernel,
                                    const struct pawl_check_selection *selection,
                                    struct pawl_check_report *out, struct pawl_error *err) {
  struct pawl_check_options options = selection->check;
  PAWL_TRY(pawl_ready_check_options(project, kernel, selection->only_case, selection->assignments,
                                    &options, err));
  struct pawl_worker_options worker = kernel->worker;
  worker.show_output = selection->show_output;
  if (selection->under) {
    worker.wrapper = selection->under;
    worker.memory_limit = 0; /* a debugger needs memory and time of its own */
    worker.timeout_seconds = UNDER_SECONDS;
  }
  options.worker = &worker;
  return pawl_check_kernel(&options, &project->arena, out, err);
}

static bool has_wrong_row(const struct pawl_check_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].outcome == PAWL_OUTCOME_WRONG) return true;
  return false;
}

static pawl_status check_or_lose(struct pawl_project *project, struct pawl_ready_kernel *kernel,
                                 const struct pawl_check_selection *selection,
                                 struct pawl_kernel_check *out, struct pawl_error *err) {
  if (!pawl_kernel_is_lost(kernel, &project->devices)) {
    const enum pawl_status_code status =
        pawl_check_ready_kernel(project, kernel, selection, &out->report, err);
    if (pawl_kernel_cannot_start(kernel, status, err, &project->arena)) {
      out->not_checked = kernel->reason;
      return PAWL_OK;
    }
    const bool suspect = status == PAWL_UNAVAILABLE ||
                         (status == PAWL_OK && out->report.failed && !has_wrong_row(&out->report));
    if (!suspect || !pawl_devices_lost(&project->devices, kernel->spec->device)) return status;
  }
  pawl_check_report_init(&out->report, 0, selection->check.reduced, &project->arena);
  out->lost = project->devices.gpu_lost;
  return PAWL_OK;
}

/* Returns the GPU of each row, or NULL for a CPU kernel. */
static const char **name_gpus(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                              size_t count) {
  const struct pawl_device *gpu =
      spec->device == PAWL_CUDA ? pawl_devices_find(&project->devices, PAWL_CUDA, NULL) : NULL;
  if (!gpu) return NULL;
  const char **gpus = pawl_arena_alloc(&project->arena, count + 1, sizeof *gpus);
  for (size_t i = 0; i < count; i++) gpus[i] = gpu->uuid;
  return gpus;
}

/* Appends the tolerance of a dtype and its source. */
static void add_tolerance(const struct pawl_oracle *oracle, const struct pawl_check_spec *spec,
                          const struct pawl_check_report *report, int32_t dtype,
                          struct pawl_text *out) {
  struct pawl_tolerance found;
  double rtol = 0;
  if (pawl_oracle_tolerance(oracle, dtype, spec, &found, NULL) != PAWL_OK) return;
  for (size_t i = 0; i < report->count; i++)
    if (report->rows[i].config.dtype == dtype) rtol = fmax(rtol, report->rows[i].errors.rtol);
  if (isnan(found.atol) || isnan(found.rtol))
    pawl_text_printf(out,
                     "the error of sums in this precision, up to %.2g of a value and of the RMS of "
                     "all values; 'rtol' in 'check' of the suite replaces it",
                     rtol);
  else
    pawl_text_printf(
        out, "%s, atol %g and rtol %g",
        spec && !(isnan(spec->atol) && isnan(spec->rtol)) ? "the suite's" : "the operator's",
        found.atol, found.rtol);
}

pawl_status pawl_oracle_precision(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                  const struct pawl_check_report *report, struct pawl_strings *out,
                                  struct pawl_error *err) {
  const struct pawl_check_spec *check = pawl_suite_check(&project->suite, spec->operator_name);
  const char *by = report->total.oracle, *whose = NULL;
  struct pawl_oracle *oracle;
  if (by && !strcmp(by, "reference") && check) whose = check->oracle;
  if (by && !strcmp(by, PAWL_ORACLE_BASE)) whose = "the base";
  if (!whose) return PAWL_OK;
  PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &oracle, err));
  for (size_t i = 0; i < report->count; i++) {
    const int32_t dtype = report->rows[i].config.dtype;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text tolerance = {0};
    size_t first = 0;
    while (report->rows[first].config.dtype != dtype) first++;
    if (first < i) continue;
    add_tolerance(oracle, check, report, dtype, &tolerance);
    pawl_strings_add(
        out, &project->arena,
        pawl_arena_printf(&project->arena,
                          "the expected values are the outputs of %s, in %s; the tolerance is %s",
                          whose, pawl_dtype_name(dtype), pawl_text_string(&tolerance)));
  }
  return PAWL_OK;
}

static pawl_status tell_oracle(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               const struct pawl_check_report *report, struct pawl_error *err) {
  struct pawl_log *log = project->options.log;
  struct pawl_strings lines = {0};
  PAWL_TRY(pawl_oracle_precision(project, spec, report, &lines, err));
  for (size_t i = 0; i < lines.count; i++) pawl_log_info(log, "%s: %s", spec->name, lines.items[i]);
  if (!lines.count && report->total.oracle)
    pawl_log_detail(log, "%s: expected values by %s", spec->name, report->total.oracle);
  return PAWL_OK;
}

pawl_status pawl_project_check(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               const struct pawl_check_selection *selection,
                               struct pawl_kernel_check *out, bool *broken,
                               struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  struct pawl_kernel_check checked = {.kernel_name = spec->name};
  PAWL_TRY(pawl_project_ready(project, spec, &kernel, err));
  if (kernel.diagnostics) pawl_log_info(project->options.log, "%s", kernel.diagnostics);
  if (kernel.outcome == PAWL_OUTCOME_OK)
    PAWL_TRY(check_or_lose(project, &kernel, selection, &checked, err));
  else
    checked.not_checked = kernel.reason;
  checked.told = kernel.diagnostics != NULL;
  checked.gpus = name_gpus(project, spec, checked.report.count);
  PAWL_TRY(tell_oracle(project, spec, &checked.report, err));
  *broken = *broken || pawl_outcome_fails(kernel.outcome);
  *out = checked;
  return PAWL_OK;
}
