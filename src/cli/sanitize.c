/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sanitize.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "loop/check_kernel.h"
#include "loop/kernels.h"

pawl_status pawl_cli_sanitize_tools(const char *list, struct pawl_arena *arena, const char *const **out,
                                    struct pawl_error *err) {
  size_t known = 0, count = 0;
  while (pawl_sanitizer_tools[known]) known++;
  if (!strcmp(list, "all")) {
    *out = pawl_sanitizer_tools;
    return PAWL_OK;
  }
  const char **tools = pawl_arena_alloc(arena, strlen(list) + 2, sizeof *tools);
  for (const char *at = list; *at; at += *at == ',') {
    const size_t length = strcspn(at, ",");
    const char *name = pawl_arena_printf(arena, "%.*s", (int)length, at), *found = NULL;
    for (size_t i = 0; i < known; i++) {
      if (!strcmp(name, pawl_sanitizer_tools[i])) found = pawl_sanitizer_tools[i];
    }
    const char *nearest = found ? NULL : pawl_nearest(name, pawl_sanitizer_tools, known);
    if (!found)
      return pawl_fail(err, PAWL_USAGE, "--sanitize: no tool '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                       nearest ? nearest : "; choose memcheck, racecheck, initcheck, synccheck or all",
                       nearest ? "'?" : "");
    tools[count++] = found;
    at += length;
  }
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "--sanitize needs a tool: memcheck, racecheck, initcheck, synccheck, all");
  *out = tools;
  return PAWL_OK;
}

static void print(const char *kernel, const struct pawl_sanitizer_report *report) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  if (report->item.count) pawl_case_key(&report->item, &key);
  printf("%s: %s%s%s: ", kernel, report->tool, key.length ? " on " : "", pawl_text_string(&key));
  if (report->reason && !report->log.count)
    printf("not run: %s\n", report->reason);
  else
    printf("%zu finding%s\n", report->log.count, report->log.count == 1 ? "" : "s");
  for (size_t i = 0; i < report->log.count; i++) {
    const struct pawl_sanitizer_finding *finding = &report->log.findings[i];
    if (finding->file)
      printf("  %s:%d: %s", finding->file, finding->line, finding->what);
    else
      printf("  %s", finding->what);
    printf("%s%s (%zu times)\n", finding->function ? " in " : "", finding->function ? finding->function : "",
           finding->count);
  }
}

static json_t *to_json(const char *kernel, const struct pawl_sanitizer_report *report) {
  json_t *object = json_object(), *findings = json_array();
  pawl_json_set_string(object, "kernel_name", kernel);
  pawl_json_set_string(object, "tool", report->tool);
  pawl_json_set_bool(object, "ran", !report->reason);
  pawl_json_set_string(object, "reason", report->reason);
  if (report->item.count) pawl_json_set(object, "config", pawl_case_to_json(&report->item));
  for (size_t i = 0; i < report->log.count; i++) {
    const struct pawl_sanitizer_finding *finding = &report->log.findings[i];
    json_t *row = json_object();
    pawl_json_set_string(row, "what", finding->what);
    pawl_json_set_string(row, "function", finding->function);
    pawl_json_set_string(row, "file", finding->file);
    if (finding->file) pawl_json_set_int(row, "line", finding->line);
    pawl_json_set_int(row, "count", (long long)finding->count);
    json_array_append_new(findings, row);
  }
  pawl_json_set(object, "findings", findings);
  return object;
}

/* One kernel under every tool. */
static pawl_status sanitize_kernel(struct pawl_cli *cli, struct pawl_project *project,
                                   const struct pawl_ready_kernel *kernel, const struct pawl_cli_sanitize *request,
                                   const char *const *tools, json_t *rows, enum pawl_status_code *verdict,
                                   struct pawl_error *err) {
  for (size_t i = 0; tools[i]; i++) {
    struct pawl_sanitizer_report report;
    pawl_log_progress(&cli->log, "%s under %s", kernel->spec->name, tools[i]);
    PAWL_TRY(pawl_sanitize_ready_kernel(project, kernel, request->only_case, request->seed, tools[i], &report, err));
    pawl_log_progress(&cli->log, "%s", "");
    if (report.log.count)
      *verdict = PAWL_FAILED;
    else if (report.reason && *verdict == PAWL_OK)
      *verdict = PAWL_UNDECIDED;
    if (cli->json)
      json_array_append_new(rows, to_json(kernel->spec->name, &report));
    else
      print(kernel->spec->name, &report);
  }
  return PAWL_OK;
}

static bool is_cuda_plugin(const struct pawl_kernel_spec *spec) {
  return spec->device == PAWL_CUDA && (spec->kind == PAWL_FROM_SOURCES || spec->kind == PAWL_FROM_BUILD);
}

pawl_status pawl_cli_sanitize(struct pawl_cli *cli, struct pawl_project *project,
                              const struct pawl_cli_sanitize *request, char **names, int count,
                              enum pawl_status_code *verdict, struct pawl_error *err) {
  const char *const *tools;
  const struct pawl_kernel_spec **specs;
  size_t spec_count, ran = 0;
  PAWL_TRY(pawl_cli_sanitize_tools(request->tools, &cli->arena, &tools, err));
  PAWL_TRY(pawl_project_kernels(project, names, count, &specs, &spec_count, err));
  PAWL_CLEANUP(pawl_json_release) json_t *rows = json_array();
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_ready_kernel kernel;
    if (!is_cuda_plugin(specs[i])) {
      pawl_log_info(&cli->log, "%s: the sanitizer runs only CUDA plug-ins", specs[i]->name);
      continue;
    }
    PAWL_TRY(pawl_project_ready(project, specs[i], &kernel, err));
    if (kernel.outcome != PAWL_OUTCOME_OK) {
      pawl_log_info(&cli->log, "%s: %s", kernel.spec->name, kernel.reason);
      if (kernel.diagnostics) pawl_log_info(&cli->log, "%s", kernel.diagnostics);
      if (kernel.outcome == PAWL_OUTCOME_BUILD) *verdict = PAWL_FAILED;
      continue;
    }
    PAWL_TRY(sanitize_kernel(cli, project, &kernel, request, tools, rows, verdict, err));
    ran++;
  }
  if (!ran && *verdict == PAWL_OK) {
    pawl_log_info(&cli->log, "there is no kernel for the sanitizer");
    *verdict = PAWL_UNDECIDED;
  }
  if (!cli->json) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "sanitizer", json_incref(rows));
  return pawl_cli_write_json(NULL, document, err);
}
