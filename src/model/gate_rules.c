/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gate_rules.h"

#include "model/kernel_spec.h"

const char *const pawl_gate_effects[] = {"warn", "fail", NULL};

bool pawl_gate_rule_matches(const struct pawl_gate_rule *rule, const char *kernel_name,
                            const char *case_name) {
  if (!kernel_name || !pawl_pattern_matches(rule->kernel_name, kernel_name)) return false;
  return !rule->case_name || (case_name && pawl_pattern_matches(rule->case_name, case_name));
}

static void apply(const struct pawl_gate_spec *rule, struct pawl_gate_spec *row) {
  for (int i = 0; i < PAWL_LIMITS; i++)
    if (rule->lines[i]) row->lines[i] = rule->lines[i];
  if (rule->lines[PAWL_LIMIT_TOLERATE]) row->tolerate = rule->tolerate;
  if (rule->lines[PAWL_LIMIT_DETECT]) row->detect = rule->detect;
  if (rule->lines[PAWL_LIMIT_IMPROVE]) row->improve = rule->improve;
  if (rule->lines[PAWL_LIMIT_INCONCLUSIVE]) row->inconclusive = rule->inconclusive;
  if (rule->lines[PAWL_LIMIT_STATIC]) row->static_code = rule->static_code;
}

struct pawl_gate_spec pawl_gate_of_row(const struct pawl_gate_spec *gate, const char *kernel_name,
                                       const char *case_name) {
  const struct pawl_gate_rules *rules = gate->rules;
  struct pawl_gate_spec row = *gate;
  row.rules = NULL;
  for (size_t i = 0; rules && i < rules->count; i++) {
    if (!pawl_gate_rule_matches(&rules->items[i], kernel_name, case_name)) continue;
    apply(&rules->items[i].gate, &row);
    row.rules = rules;
  }
  return row;
}
