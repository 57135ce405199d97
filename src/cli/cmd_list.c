/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/list_gate.h"
#include "model/dtype.h"
#include "project/operators.h"
#include "suite/read.h"
#include "tune/space.h"

static const char *origin(enum pawl_source_kind kind) {
  static const char *const names[] = {"?", "sources", "build command", "protocol", "command"};
  return names[kind];
}

static json_t *cmd_list_to_json(const struct pawl_suite *suite) {
  json_t *document = json_object(), *kernels = json_array(), *cases = json_array();
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    json_t *row = json_object(), *params = json_object();
    pawl_json_set_string(row, "name", spec->name);
    pawl_json_set_string(row, "operator", spec->operator_name);
    pawl_json_set_string(row, "device", pawl_device_kind_name(spec->device));
    pawl_json_set_string(row, "from", origin(spec->kind));
    pawl_json_set_bool(row, "reference", spec->reference);
    pawl_json_set_bool(row, "optional", spec->optional);
    for (size_t j = 0; j < spec->param_count; j++)
      pawl_json_set_string(params, spec->params[j].name, spec->params[j].value);
    pawl_json_set(row, "params", params);
    json_array_append_new(kernels, row);
  }
  for (size_t i = 0; i < suite->case_count; i++) {
    json_t *row = json_object();
    pawl_json_set_string(row, "name", suite->cases[i].name);
    pawl_json_set_string(row, "operator", suite->cases[i].operator_name);
    pawl_json_set(row, "config", pawl_case_to_json(&suite->cases[i]));
    json_array_append_new(cases, row);
  }
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "kernels", kernels);
  pawl_json_set(document, "cases", cases);
  return document;
}

static void cmd_list_print(const struct pawl_suite *suite) {
  puts("kernels:");
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    printf("  %-20s %-12s %-5s from %s%s%s", spec->name,
           spec->operator_name ? spec->operator_name : "-", pawl_device_kind_name(spec->device),
           origin(spec->kind), spec->reference ? ", reference" : "",
           spec->optional ? ", optional" : "");
    for (size_t j = 0; j < spec->param_count; j++)
      printf(" %s=%s", spec->params[j].name, spec->params[j].value);
    putchar('\n');
  }
  puts("cases:");
  for (size_t i = 0; i < suite->case_count; i++) {
    struct pawl_text key = {0};
    pawl_case_key(&suite->cases[i], &key);
    printf("  %-20s %-12s %s\n", suite->cases[i].name,
           suite->cases[i].operator_name ? suite->cases[i].operator_name : "-",
           pawl_text_string(&key));
    pawl_text_clear(&key);
  }
}

static pawl_status list(struct pawl_cli *cli, struct pawl_project *project,
                        struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  for (size_t i = 0; i < suite->kernel_count; i++)
    PAWL_TRY(pawl_space_check(&suite->kernels[i], suite->path, &cli->arena, err));
  PAWL_TRY(pawl_operators_ask(project, err));
  if (!cli->json) {
    cmd_list_print(suite);
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_json_release) json_t *document = cmd_list_to_json(suite);
  return pawl_cli_write_json(NULL, document, err);
}

static pawl_status list_gate(struct pawl_cli *cli, struct pawl_error *err) {
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_list_gate(&suite);
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  pawl_list_gate_print(document);
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_list(struct pawl_cli *cli, int argc, char **argv,
                                    struct pawl_error *err) {
  bool gate = false;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--gate", &gate, NULL,
       "the limits of each row, with the line of pawl.yaml that decides"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  if (gate) return list_gate(cli, err);
  struct pawl_project project;
  cli->only_lists = true;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  const enum pawl_status_code status = list(cli, &project, err);
  pawl_project_close(&project);
  return status;
}
