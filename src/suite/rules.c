/* SPDX-License-Identifier: Apache-2.0 */
/* What must fit together although it stands apart. */
#include <math.h>
#include <string.h>

#include "suite/sections.h"

/* The place of section.key, or of the section, or of the file: where a default is what does not fit. */
static const struct pawl_yaml *place_of(const struct pawl_yaml *root, const char *section, const char *key) {
  const struct pawl_yaml *map = pawl_yaml_get(root, section), *value = pawl_yaml_get(map, key);
  return value ? value : map ? map : root;
}

static pawl_status check_measure(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                 const struct pawl_yaml_reader *reader) {
  const struct pawl_measure_spec *measure = &suite->measure;
  if (measure->samples >= measure->processes) return PAWL_OK;
  return pawl_yaml_fail(reader, place_of(root, "measure", "samples"),
                        "'samples' of measure (%d) must be at least 'processes' (%d): each process takes its share",
                        measure->samples, measure->processes);
}

static pawl_status check_gate(const struct pawl_suite *suite, const struct pawl_yaml *root,
                              const struct pawl_yaml_reader *reader) {
  const struct pawl_gate_spec *gate = &suite->gate;
  if (!(gate->detect > gate->tolerate))
    return pawl_yaml_fail(reader, place_of(root, "gate", "detect"),
                          "'detect' of gate (%g%%) must be greater than 'tolerate' (%g%%)", gate->detect * 100,
                          gate->tolerate * 100);
  if (!(gate->improve > gate->tolerate))
    return pawl_yaml_fail(reader, place_of(root, "gate", "improve"),
                          "'improve' of gate (%g%%) must be greater than 'tolerate' (%g%%)", gate->improve * 100,
                          gate->tolerate * 100);
  /* One block is one sign: a bet on a fair coin can at most double, so that evidence of 1/alpha takes log2(1/alpha)
     blocks that all agree. */
  const double least = ceil(-log2(fmin(gate->false_alarm, gate->miss)));
  if (gate->max_blocks < least)
    return pawl_yaml_fail(reader, place_of(root, "gate", "max_blocks"),
                          "'max_blocks' of gate (%d) can never decide at 'false_alarm' %g%% and 'miss' %g%%: at least "
                          "%.0f",
                          gate->max_blocks, gate->false_alarm * 100, gate->miss * 100, least);
  return PAWL_OK;
}

/* oracle: reference NAME must name a reference that computes the same. */
static pawl_status check_oracle(const struct pawl_suite *suite, const struct pawl_check_spec *check,
                                const struct pawl_yaml *root, const struct pawl_yaml_reader *reader) {
  if (!pawl_starts_with(check->oracle, "reference ")) return PAWL_OK;
  const char *name = check->oracle + strlen("reference ");
  const struct pawl_yaml *map = pawl_yaml_get(pawl_yaml_get(root, "check"), check->operator_name);
  const struct pawl_yaml *place = pawl_yaml_get(map, "oracle");
  const struct pawl_kernel_spec *kernel = pawl_suite_kernel(suite, name);
  if (!kernel || !kernel->reference)
    return pawl_yaml_fail(reader, place, "'oracle' of check of '%s': there is no reference '%s'", check->operator_name,
                          name);
  if (!kernel->operator_name || strcmp(kernel->operator_name, check->operator_name) != 0)
    return pawl_yaml_fail(reader, place, "'oracle' of check of '%s': reference '%s' does not compute it",
                          check->operator_name, name);
  return PAWL_OK;
}

pawl_status pawl_suite_check_rules(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                   const struct pawl_yaml_reader *reader) {
  PAWL_TRY(check_measure(suite, root, reader));
  PAWL_TRY(check_gate(suite, root, reader));
  for (size_t i = 0; i < suite->check_count; i++) PAWL_TRY(check_oracle(suite, &suite->checks[i], root, reader));
  return PAWL_OK;
}
