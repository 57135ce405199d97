/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of the sections of pawl.yaml, and the rules between sections, for this room. */
#pragma once

#include "model/suite.h"
#include "yaml/keys.h"

/* Reads an operator's name into a const char * (kernel_section.c). */
pawl_status pawl_read_operator_name(const struct pawl_slot *slot, void *field);

/* Read whole sections (kernel_section.c). `field` is the struct pawl_suite. */
pawl_status pawl_read_kernels(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_references(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_operators(const struct pawl_slot *slot, void *field);
/* case_section.c */
pawl_status pawl_read_cases(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_checks(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_sweeps(const struct pawl_slot *slot, void *field);

/* gate_section.c; `field` is the struct pawl_gate_spec */
pawl_status pawl_read_gate(const struct pawl_slot *slot, void *field);
struct pawl_gate_spec pawl_gate_default(void);

/* notify_section.c */
pawl_status pawl_read_notify(const struct pawl_slot *slot, void *field);

/* Checks rules between sections. `root` gives positions for messages. suite_rules.c */
pawl_status pawl_suite_check_rules(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                   const struct pawl_yaml_reader *reader);
