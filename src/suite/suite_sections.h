/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this room: the readers of the sections of pawl.yaml, and what must fit
 * together. */
#ifndef PAWL_SUITE_SECTIONS_H
#define PAWL_SUITE_SECTIONS_H

#include "model/suite.h"
#include "yaml/keys.h"

/* A value reader: const char *. kernel_section.c */
pawl_status pawl_read_operator_name(const struct pawl_slot *slot, void *field);

/* Readers of whole sections; `field` is the struct pawl_suite. kernel_section.c */
pawl_status pawl_read_kernels(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_references(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_operators(const struct pawl_slot *slot, void *field);
/* case_section.c */
pawl_status pawl_read_cases(const struct pawl_slot *slot, void *field);
pawl_status pawl_read_checks(const struct pawl_slot *slot, void *field);

/* notify_section.c */
pawl_status pawl_read_notify(const struct pawl_slot *slot, void *field);

/* Rules between sections; `root` gives the places for messages. suite_rules.c */
pawl_status pawl_suite_check_rules(const struct pawl_suite *suite, const struct pawl_yaml *root,
                                   const struct pawl_yaml_reader *reader);

#endif
