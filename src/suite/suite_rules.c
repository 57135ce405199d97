/* SPDX-License-Identifier: Apache-2.0 */
/* Checks rules between sections. */
#include <string.h>

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
                                                .comparisons = count_comparisons(suite)};
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
  for (size_t i = 0; i < suite->check_count; i++)
    PAWL_TRY(check_oracle(suite, &suite->checks[i], root, reader));
  return PAWL_OK;
}
