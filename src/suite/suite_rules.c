/* SPDX-License-Identifier: Apache-2.0 */
/* Checks rules between sections. */
#include <stdio.h>
#include <string.h>

#include "model/gate_rules.h"
#include "stats/sequential.h"
#include "suite/suite_sections.h"

/* Returns the node of section.key, else of the section, else of the file, because a default may be
   the conflict. */
static const struct pawl_yaml *suite_rules_place_of(const struct pawl_yaml *root,
                                                    const char *section, const char *key) {
  const struct pawl_yaml *map = pawl_yaml_get(root, section), *value = pawl_yaml_get(map, key);
  return value ? value : map ? map : root;
}

/* Returns a hint for a message about a default, which the file does not contain. */
static const char *if_default(const struct pawl_yaml *root, const char *section, const char *key) {
  return pawl_yaml_get(pawl_yaml_get(root, section), key) ? "" : ", the default";
}

static pawl_status check_measure(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                 const struct pawl_yaml_reader *reader) {
  const struct pawl_measure_spec *measure = &suite->measure;
  if (measure->samples >= measure->processes) return PAWL_OK;
  return pawl_yaml_fail(reader, suite_rules_place_of(root, "measure", "samples"),
                        "'samples' of measure (%d) must be at least 'processes' (%d): each process "
                        "takes at least one",
                        measure->samples, measure->processes);
}

/* Counts the comparisons of a run of the whole suite: each kernel on each case, against the
   baseline and against the merge base. */
static int count_comparisons(const struct pawl_suite *suite) {
  int count = 0;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *kernel = &suite->kernels[i];
    if (kernel->reference) continue;
    count += !kernel->operator_name;
    for (size_t j = 0; kernel->operator_name && j < suite->case_count; j++) {
      const char *name = suite->cases[j].operator_name;
      count += name && !strcmp(name, kernel->operator_name);
    }
  }
  return count > 0 ? 2 * count : 1;
}

/* Checks that max_blocks suffice: one block is one sign, and too few prove nothing even if all
   agree. */
static pawl_status check_max_blocks(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                    const struct pawl_yaml_reader *reader) {
  const struct pawl_gate_spec *gate = &suite->gate;
  const struct pawl_sequential_policy policy = {.rule = PAWL_SEQUENTIAL_RULE,
                                                .false_alarm = gate->false_alarm,
                                                .miss = gate->miss,
                                                .comparisons = count_comparisons(suite),
                                                .discovery = gate->control == PAWL_CONTROL_FDR};
  const int least = pawl_sequential_fewest_blocks(&policy);
  if (gate->max_blocks >= least) return PAWL_OK;
  return pawl_yaml_fail(
      reader, suite_rules_place_of(root, "gate", "max_blocks"),
      "'max_blocks' of gate (%d) is too small for a decision at 'false_alarm' %g%% over %d "
      "comparisons and 'miss' %g%%: use at least %d",
      gate->max_blocks, gate->false_alarm * 100, policy.comparisons, gate->miss * 100, least);
}

static pawl_status check_gate(const struct pawl_suite *suite, const struct pawl_yaml *root,
                              const struct pawl_yaml_reader *reader) {
  const struct pawl_gate_spec *gate = &suite->gate;
  if (!(gate->detect > gate->tolerate))
    return pawl_yaml_fail(reader, suite_rules_place_of(root, "gate", "detect"),
                          "'detect' of gate (%g%%%s) must be greater than 'tolerate' (%g%%%s)",
                          gate->detect * 100, if_default(root, "gate", "detect"),
                          gate->tolerate * 100, if_default(root, "gate", "tolerate"));
  if (!(gate->improve > gate->tolerate))
    return pawl_yaml_fail(reader, suite_rules_place_of(root, "gate", "improve"),
                          "'improve' of gate (%g%%%s) must be greater than 'tolerate' (%g%%%s)",
                          gate->improve * 100, if_default(root, "gate", "improve"),
                          gate->tolerate * 100, if_default(root, "gate", "tolerate"));
  return check_max_blocks(suite, root, reader);
}

/* Writes " (2%, line 4)" or " (1%, the default)". */
static const char *limit_with_line(double limit, int line, char out[64]) {
  if (line)
    snprintf(out, 64, "(%g%%, line %d)", limit * 100, line);
  else
    snprintf(out, 64, "(%g%%, the default)", limit * 100);
  return out;
}

/* Checks the limits that a row has after all rules. */
static pawl_status check_row_limits(const struct pawl_suite *suite, const char *kernel_name,
                                    const char *case_name, const struct pawl_yaml *place,
                                    const struct pawl_yaml_reader *reader) {
  const struct pawl_gate_spec row = pawl_gate_of_row(&suite->gate, kernel_name, case_name);
  const bool detects = row.detect > row.tolerate;
  const enum pawl_limit other = detects ? PAWL_LIMIT_IMPROVE : PAWL_LIMIT_DETECT;
  char limit[64], tolerate[64];
  if (detects && row.improve > row.tolerate) return PAWL_OK;
  return pawl_yaml_fail(
      reader, place, "'%s' of kernel '%s' on case '%s' %s must be greater than 'tolerate' %s",
      detects ? "improve" : "detect", kernel_name, case_name,
      limit_with_line(detects ? row.improve : row.detect, row.lines[other], limit),
      limit_with_line(row.tolerate, row.lines[PAWL_LIMIT_TOLERATE], tolerate));
}

/* Checks a rule against the rows that it holds for. pawl does not know the benchmarks of a harness,
   so its pattern stands for them. A rule for no row is a misspelt name. */
static pawl_status check_rule(const struct pawl_suite *suite, const struct pawl_gate_rule *rule,
                              const struct pawl_yaml *place,
                              const struct pawl_yaml_reader *reader) {
  bool any = false;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *kernel = &suite->kernels[i];
    if (kernel->reference || !pawl_pattern_matches(rule->kernel_name, kernel->name)) continue;
    if (!kernel->operator_name) {
      any = true;
      PAWL_TRY(check_row_limits(suite, kernel->name, rule->case_name ? rule->case_name : "*", place,
                                reader));
    }
    for (size_t j = 0; kernel->operator_name && j < suite->case_count; j++) {
      const struct pawl_case *config = &suite->cases[j];
      if (!pawl_text_equal(config->operator_name, kernel->operator_name) ||
          !pawl_gate_rule_matches(rule, kernel->name, config->name))
        continue;
      any = true;
      PAWL_TRY(check_row_limits(suite, kernel->name, config->name, place, reader));
    }
  }
  return any ? PAWL_OK
             : pawl_yaml_fail(reader, place, "'%s' of limits matches no kernel and case",
                              place->text);
}

static pawl_status check_limits(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                const struct pawl_yaml_reader *reader) {
  const struct pawl_yaml *map = pawl_yaml_get(pawl_yaml_get(root, "gate"), "limits");
  for (size_t i = 0; map && i < map->count; i++)
    PAWL_TRY(check_rule(suite, &suite->gate.rules->items[i], map->keys[i], reader));
  return PAWL_OK;
}

/* Checks that `oracle: reference NAME` names a reference of the same operator. */
static pawl_status check_oracle(const struct pawl_suite *suite, const struct pawl_check_spec *check,
                                const struct pawl_yaml *root,
                                const struct pawl_yaml_reader *reader) {
  if (!pawl_starts_with(check->oracle, "reference ")) return PAWL_OK;
  const char *name = check->oracle + strlen("reference ");
  const struct pawl_yaml *map = pawl_yaml_get(pawl_yaml_get(root, "check"), check->operator_name);
  const struct pawl_yaml *place = pawl_yaml_get(map, "oracle");
  const struct pawl_kernel_spec *kernel = pawl_suite_kernel(suite, name);
  if (!kernel || !kernel->reference)
    return pawl_yaml_fail(reader, place, "'oracle' of check of '%s': no reference '%s'",
                          check->operator_name, name);
  if (!kernel->operator_name || strcmp(kernel->operator_name, check->operator_name) != 0)
    return pawl_yaml_fail(reader, place,
                          "'oracle' of check of '%s': reference '%s' computes another operator",
                          check->operator_name, name);
  return PAWL_OK;
}

pawl_status pawl_suite_check_rules(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                   const struct pawl_yaml_reader *reader) {
  PAWL_TRY(check_measure(suite, root, reader));
  PAWL_TRY(check_gate(suite, root, reader));
  PAWL_TRY(check_limits(suite, root, reader));
  for (size_t i = 0; i < suite->check_count; i++)
    PAWL_TRY(check_oracle(suite, &suite->checks[i], root, reader));
  return PAWL_OK;
}
