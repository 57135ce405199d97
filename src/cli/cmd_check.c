/* SPDX-License-Identifier: Apache-2.0 */
/* pawl check [KERNEL...] [--case NAME] [--seed N] [--reduced] [--sanitize TOOL,...] */
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/sanitize.h"
#include "loop/run.h"

static json_t *row_to_json(const struct pawl_check_row *row) {
  json_t *object = json_object();
  pawl_json_set(object, "config", pawl_case_to_json(&row->item));
  pawl_json_set_string(object, "distribution", row->distribution);
  pawl_json_set_int(object, "seed", (long long)row->seed);
  pawl_json_set_string(object, "outcome", pawl_outcome_name(row->outcome));
  pawl_json_set_string(object, "reason", row->reason);
  pawl_json_set_number(object, "seconds", row->seconds);
  if (row->outcome != PAWL_OUTCOME_OK && row->outcome != PAWL_OUTCOME_WRONG) return object;
  pawl_json_set_number(object, "max_abs_error", row->errors.max_abs_error);
  pawl_json_set_number(object, "mean_abs_error", row->errors.mean_abs_error);
  pawl_json_set_number(object, "max_rel_error", row->errors.max_rel_error);
  pawl_json_set_number(object, "rel_rms_error", row->errors.rel_rms_error);
  pawl_json_set_number(object, "correlation", row->errors.correlation);
  return object;
}

static json_t *to_json(const char *kernel, const struct pawl_check_report *report) {
  json_t *object = json_object(), *rows = json_array();
  pawl_json_set_string(object, "kernel_name", kernel);
  pawl_json_set_bool(object, "passed", report->total.passed);
  pawl_json_set_bool(object, "reduced", report->reduced);
  pawl_json_set_int(object, "rows_passed", (long long)report->passed);
  pawl_json_set_int(object, "rows_failed", (long long)report->failed);
  pawl_json_set_int(object, "rows_unsupported", (long long)report->unsupported);
  for (size_t i = 0; i < report->count; i++) json_array_append_new(rows, row_to_json(&report->rows[i]));
  pawl_json_set(object, "rows", rows);
  return object;
}

static void print(const char *kernel, const struct pawl_check_report *report) {
  printf("%s: %zu of %zu passed", kernel, report->passed, report->passed + report->failed);
  if (report->unsupported) printf(", %zu not supported", report->unsupported);
  if (report->reduced) printf(" (reduced: the smallest shapes only)");
  putchar('\n');
  if (report->passed) {
    printf("  worst: max abs %.3g, max rel %.3g, mean abs %.3g, rel RMS %.3g, correlation %.9f\n",
           report->total.max_abs_error, report->total.max_rel_error, report->total.mean_abs_error,
           report->total.rel_rms_error, report->total.correlation);
  }
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_check_row *row = &report->rows[i];
    if (row->outcome == PAWL_OUTCOME_OK) continue;
    struct pawl_text key = {0};
    pawl_case_key(&row->item, &key);
    printf("  %s %s, %s, seed %llu: %s\n", pawl_outcome_name(row->outcome), pawl_text_string(&key), row->distribution,
           (unsigned long long)row->seed, row->reason);
    pawl_text_clear(&key);
  }
}

struct selection {
  const char *only_case;
  uint64_t seed;
  bool reduced;
};

/* 1 when a kernel failed, 2 when there was nothing to check. */
static pawl_status check_all(struct pawl_cli *cli, struct pawl_project *project, const struct selection *selection,
                             char **names, int count, enum pawl_status_code *verdict, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count, checked = 0;
  PAWL_TRY(pawl_project_kernels(project, names, count, &specs, &spec_count, err));
  PAWL_CLEANUP(pawl_json_release) json_t *kernels = json_array();
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_ready_kernel kernel;
    struct pawl_check_report report;
    if (specs[i]->kind == PAWL_FROM_COMMAND) continue; /* a command has no outputs to compare */
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernel, err));
    if (kernel.outcome != PAWL_OUTCOME_OK) {
      pawl_log_info(&cli->log, "%s: %s", kernel.spec->name, kernel.reason);
      if (kernel.diagnostics) pawl_log_info(&cli->log, "%s", kernel.diagnostics);
      if (kernel.outcome == PAWL_OUTCOME_BUILD) *verdict = PAWL_FAILED;
      continue;
    }
    const enum pawl_status_code status =
        pawl_loop_check(project, &kernel, selection->only_case, selection->seed, selection->reduced, &report, err);
    if (pawl_loop_is_absent(project, &kernel, status, err)) {
      pawl_log_info(&cli->log, "%s: %s", kernel.spec->name, kernel.reason);
      continue;
    }
    if (status != PAWL_OK) return status;
    checked += report.passed + report.failed;
    if (report.failed) *verdict = PAWL_FAILED;
    if (cli->json)
      json_array_append_new(kernels, to_json(kernel.spec->name, &report));
    else
      print(kernel.spec->name, &report);
  }
  if (*verdict == PAWL_OK && checked == 0) {
    pawl_log_info(&cli->log, "nothing to check");
    *verdict = PAWL_UNDECIDED;
  }
  if (!cli->json) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "kernels", json_incref(kernels));
  return pawl_cli_write_json(NULL, document, err);
}

PAWL_COMMAND(check) {
  struct selection selection = {.seed = PAWL_DEFAULT_SEED};
  struct pawl_cli_sanitize sanitize = {0};
  struct pawl_option_list definitions = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &selection.only_case, "NAME", "only this case, without the matrix", 0, 0},
      {PAWL_OPTION_SEED, "--seed", &selection.seed, "N", "of the inputs; 42 by default", 0, 0},
      {PAWL_OPTION_FLAG, "--reduced", &selection.reduced, NULL, "only the smallest shapes of the matrix", 0, 0},
      {PAWL_OPTION_STRING, "--sanitize", &sanitize.tools, "TOOL,...",
       "instead: CUDA kernels under compute-sanitizer: memcheck, racecheck, initcheck, synccheck or all", 0, 0},
      {PAWL_OPTION_LIST, "-D", &definitions, "NAME=VALUE", "a compile-time parameter, over the suite's", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  struct pawl_project project;
  if (sanitize.tools) {
    const char *const *known;
    PAWL_TRY(pawl_cli_sanitize_tools(sanitize.tools, &cli->arena, &known, err));
  }
  PAWL_TRY(pawl_cli_open(cli, &definitions, &project, err));
  enum pawl_status_code verdict = PAWL_OK, status = PAWL_OK;
  if (selection.only_case && !pawl_suite_case(&project.suite, selection.only_case))
    status = pawl_cli_no_case(&project, selection.only_case, err);
  if (status == PAWL_OK && sanitize.tools) {
    project.options.line_info = true;
    sanitize.only_case = selection.only_case;
    sanitize.seed = selection.seed;
    status = pawl_cli_sanitize(cli, &project, &sanitize, argv, argc, &verdict, err);
  } else if (status == PAWL_OK) {
    status = check_all(cli, &project, &selection, argv, argc, &verdict, err);
  }
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}
