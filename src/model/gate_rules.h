/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of single rows: `limits` of the gate section. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/gate_spec.h"

/* The words of enum pawl_inconclusive and enum pawl_static, from the first value on; NULL ends
 * them. */
extern const char *const pawl_gate_effects[];

/* A rule sets the limits that have a line, for the rows that both patterns match. */
struct pawl_gate_rule {
  const char *kernel_name, *case_name; /* patterns; a case_name of NULL: all cases */
  struct pawl_gate_spec gate;
};

/* In the order of pawl.yaml: where several rules set a limit, the last one decides. */
struct pawl_gate_rules {
  const struct pawl_gate_rule *items;
  size_t count;
};

/* Returns whether the rule holds for the row. Without a case name, only rules for all cases do. */
bool pawl_gate_rule_matches(const struct pawl_gate_rule *rule, const char *kernel_name,
                            const char *case_name);
/* Returns the gate of a row: the suite's, with the limits of each rule that matches. It has `rules`
 * only if one of them decides a limit. */
struct pawl_gate_spec pawl_gate_of_row(const struct pawl_gate_spec *gate, const char *kernel_name,
                                       const char *case_name);
