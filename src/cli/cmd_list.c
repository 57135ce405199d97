/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "model/dtype.h"
#include "model/gate_rules.h"
#include "model/suite.h"
#include "project/operators.h"
#include "project/project.h"
#include "suite/read.h"
#include "suite/tables.h"
#include "tune/space.h"

/* --- the limits of rows --- */

/* The gate of each row, with the line of pawl.yaml that decides each limit. */

static json_t *limit_value(const struct pawl_gate_spec *gate, enum pawl_limit limit) {
  switch (limit) {
    case PAWL_LIMIT_TOLERATE: return json_real(gate->tolerate);
    case PAWL_LIMIT_DETECT: return json_real(gate->detect);
    case PAWL_LIMIT_IMPROVE: return json_real(gate->improve);
    case PAWL_LIMIT_INCONCLUSIVE: return json_string(pawl_gate_effects[gate->inconclusive - 1]);
    case PAWL_LIMIT_STATIC: return json_string(pawl_gate_effects[gate->static_code - 1]);
    case PAWL_LIMITS: break;
  }
  return NULL;
}

static void list_gate_add(const struct pawl_suite *suite, const char *kernel_name,
                          const char *case_name, json_t *rows) {
  const struct pawl_gate_spec gate = pawl_gate_of_row(&suite->gate, kernel_name, case_name);
  json_t *row = json_object(), *limits = json_object();
  for (int i = 0; i < PAWL_LIMITS; i++) {
    json_t *limit = json_object();
    pawl_json_set(limit, "value", limit_value(&gate, (enum pawl_limit)i));
    pawl_json_set(limit, "line", gate.lines[i] ? json_integer(gate.lines[i]) : NULL);
    pawl_json_set(limits, pawl_limit_key((enum pawl_limit)i), limit);
  }
  pawl_json_set_string(row, "kernel_name", kernel_name);
  pawl_json_set_string(row, "case", case_name);
  pawl_json_set(row, "limits", limits);
  json_array_append_new(rows, row);
}

/* pawl does not know the benchmarks of a harness before it runs. '*' stands for all of them, and
   the pattern of a rule for those that it matches. */
static void add_harness(const struct pawl_suite *suite, const char *kernel_name, json_t *rows) {
  const struct pawl_gate_rules *rules = suite->gate.rules;
  list_gate_add(suite, kernel_name, "*", rows);
  for (size_t i = 0; rules && i < rules->count; i++) {
    const struct pawl_gate_rule *rule = &rules->items[i];
    if (rule->case_name && pawl_pattern_matches(rule->kernel_name, kernel_name))
      list_gate_add(suite, kernel_name, rule->case_name, rows);
  }
}

/* Returns {schema_version, gate: [...]}, in a new reference. */
static json_t *list_gate_document(const struct pawl_suite *suite) {
  json_t *document = json_object(), *rows = json_array();
  const struct pawl_case of_commands = pawl_command_case(suite);
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    if (spec->reference) continue;
    if (pawl_kernel_is_harness(spec))
      add_harness(suite, spec->name, rows);
    else if (!spec->operator_name)
      list_gate_add(suite, spec->name, of_commands.name, rows);
    for (size_t j = 0; spec->operator_name && j < suite->case_count; j++)
      if (pawl_text_equal(suite->cases[j].operator_name, spec->operator_name))
        list_gate_add(suite, spec->name, suite->cases[j].name, rows);
  }
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_string(document, "suite", suite->path);
  pawl_json_set(document, "gate", rows);
  return document;
}

/* Prints such a document. */
static void list_gate_print(const json_t *document) {
  const json_t *rows = json_object_get(document, "gate");
  printf("gate of each row (line: of %s):\n",
         json_string_value(json_object_get(document, "suite")));
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i), *limits = json_object_get(row, "limits");
    printf("  %-20s %-20s", json_string_value(json_object_get(row, "kernel_name")),
           json_string_value(json_object_get(row, "case")));
    for (int j = 0; j < PAWL_LIMITS; j++) {
      const char *key = pawl_limit_key((enum pawl_limit)j);
      const json_t *limit = json_object_get(limits, key), *value = json_object_get(limit, "value");
      const long long line = json_integer_value(json_object_get(limit, "line"));
      printf("%s%s ", j ? ", " : " ", key);
      if (json_is_real(value))
        printf("%g%%", json_real_value(value) * 100);
      else
        printf("%s", json_string_value(value));
      if (line)
        printf(" (line %lld)", line);
      else
        printf(" (default)");
    }
    putchar('\n');
  }
}

/* --- the command --- */

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
  PAWL_CLEANUP(pawl_json_release) json_t *document = list_gate_document(&suite);
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  list_gate_print(document);
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
