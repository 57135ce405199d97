/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and starts operators, and makes the cases for them. */
#pragma once

#include "project/project.h"

/* Finds the suite's operator of that name, else the shipped one. The first use starts it.
 * PAWL_CONFIG names the nearest name. */
pawl_status pawl_project_oracle(struct pawl_project *project, const char *name,
                                struct pawl_oracle **oracle, struct pawl_error *err);
/* Fails with PAWL_CONFIG if a kernel, a case or a check names an operator that neither the suite
 * nor the installation (`home`) has. */
pawl_status pawl_operators_check(const struct pawl_suite *suite, const char *home,
                                 struct pawl_error *err);
/* Asks the operators to accept the suite's cases and checks. PAWL_CONFIG names a value that an
 * operator refuses. */
pawl_status pawl_operators_ask(struct pawl_project *project, struct pawl_error *err);
/* Returns the time that the operators' problems have taken. */
struct pawl_time_spent pawl_operators_spent(const struct pawl_operators *operators);
/* Lists the suite's cases of an operator, or only the case `only`, with `assignments` (--set)
 * applied and all values resolved. `only` and `assignments` may be NULL. If cases become equal, one
 * remains, with the name "set". */
pawl_status pawl_operator_cases(const struct pawl_suite *suite,
                                const struct pawl_operator_info *info, const char *only,
                                const char *assignments, struct pawl_arena *arena,
                                struct pawl_case **out, size_t *count, struct pawl_error *err);

struct pawl_check_matrix;
/* Lists the rows that the suite's check of the operator has. Fails with PAWL_CONFIG if the operator
 * refuses one of its shapes. */
pawl_status pawl_operator_shapes(const struct pawl_suite *suite, struct pawl_oracle *oracle,
                                 struct pawl_arena *arena, struct pawl_check_matrix *out,
                                 struct pawl_error *err);
