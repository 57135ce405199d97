/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sanitize.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "gate/verdict.h"

pawl_status pawl_cli_sanitize_tools(const char *list, struct pawl_arena *arena,
                                    struct pawl_sanitize_selection *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *names[PAWL_SANITIZER_TOOLS];
  bool wanted[PAWL_SANITIZER_TOOLS] = {0};
  size_t count = 0;
  for (size_t i = 0; i < PAWL_SANITIZER_TOOLS; i++) {
    names[i] = pawl_sanitizer_tools[i].name;
    wanted[i] = !strcmp(list, "all");
  }
  for (const char *cursor = wanted[0] ? "" : list; *cursor; cursor += *cursor == ',') {
    const size_t length = strcspn(cursor, ",");
    const char *name = pawl_arena_printf(arena, "%.*s", (int)length, cursor);
    size_t found = 0;
    while (found < PAWL_SANITIZER_TOOLS && strcmp(name, names[found]) != 0) found++;
    const char *nearest = pawl_nearest(name, names, PAWL_SANITIZER_TOOLS);
    if (found == PAWL_SANITIZER_TOOLS && nearest)
      return pawl_fail(err, PAWL_USAGE, "--sanitize: no tool '%s'; did you mean '%s'?", name,
                       nearest);
    if (found == PAWL_SANITIZER_TOOLS)
      return pawl_fail(err, PAWL_USAGE, "--sanitize: no tool '%s'; choose all, %s", name,
                       pawl_text_add_names(&text, names, PAWL_SANITIZER_TOOLS));
    wanted[found] = true;
    cursor += length;
  }
  for (size_t i = 0; i < PAWL_SANITIZER_TOOLS; i++)
    if (wanted[i]) out->tools[count++] = &pawl_sanitizer_tools[i];
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "--sanitize needs a tool; choose all, %s",
                     pawl_text_add_names(&text, names, PAWL_SANITIZER_TOOLS));
  return PAWL_OK;
}

static void sanitize_print(const char *kernel, const struct pawl_sanitizer_report *report) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  if (report->config.count) pawl_case_key(&report->config, &key);
  if (report->shapes) pawl_text_printf(&key, "%zu shapes", report->shapes);
  printf("%s: %s%s%s: ", kernel, report->tool->name, key.length ? " on " : "",
         pawl_text_string(&key));
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
    printf("%s%s", finding->function ? " in " : "", finding->function ? finding->function : "");
    if (finding->count > 1) printf(" (%zu times)", finding->count);
    printf("\n");
  }
}

static json_t *sanitize_to_json(const char *kernel, const struct pawl_sanitizer_report *report) {
  json_t *object = json_object(), *findings = json_array();
  pawl_json_set_string(object, "kernel_name", kernel);
  pawl_json_set_string(object, "tool", report->tool->name);
  pawl_json_set_bool(object, "ran", !report->reason);
  pawl_json_set_string(object, "reason", report->reason);
  if (report->config.count) pawl_json_set(object, "config", pawl_case_to_json(&report->config));
  if (report->shapes) pawl_json_set_int(object, "shapes", (long long)report->shapes);
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

pawl_status pawl_cli_sanitize(struct pawl_cli *cli, struct pawl_project *project,
                              const struct pawl_sanitize_selection *selection, char **names,
                              int count, enum pawl_status_code *verdict, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t spec_count, ran = 0;
  PAWL_TRY(
      pawl_kernels_named(&project->suite, &project->arena, names, count, &specs, &spec_count, err));
  PAWL_CLEANUP(pawl_json_release) json_t *rows = json_array();
  for (size_t i = 0; i < spec_count; i++) {
    struct pawl_sanitized_kernel kernel;
    PAWL_TRY(pawl_project_sanitize(project, specs[i], selection, &kernel, err));
    if (kernel.skipped) pawl_log_info(&cli->log, "%s: %s", kernel.kernel_name, kernel.skipped);
    for (size_t j = 0; j < kernel.count && cli->json; j++)
      json_array_append_new(rows, sanitize_to_json(kernel.kernel_name, &kernel.reports[j]));
    for (size_t j = 0; j < kernel.count && !cli->json; j++)
      sanitize_print(kernel.kernel_name, &kernel.reports[j]);
    *verdict = pawl_worse_status(*verdict, kernel.verdict);
    ran += kernel.count > 0;
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
