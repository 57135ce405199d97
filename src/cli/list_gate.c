/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/list_gate.h"

#include <stdio.h>

#include "model/gate_rules.h"
#include "project/project.h"
#include "suite/tables.h"

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

json_t *pawl_list_gate(const struct pawl_suite *suite) {
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

void pawl_list_gate_print(const json_t *document) {
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
