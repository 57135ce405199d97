/* SPDX-License-Identifier: Apache-2.0 */
/* The operators at work: which one a name means, its process, and the cases that it is asked for. */
#ifndef PAWL_LOOP_OPERATORS_H
#define PAWL_LOOP_OPERATORS_H

#include "loop/project.h"

/* The operator, started on first use: the suite's own, else a shipped one. PAWL_CONFIG names the nearest. */
pawl_status pawl_project_oracle(struct pawl_project *project, const char *name, struct pawl_oracle **oracle,
                                struct pawl_error *err);
/* What the operators' problems have cost so far. */
struct pawl_time_spent pawl_project_spent(const struct pawl_project *project);
/* The cases of an operator, or the one named `only`, with `assignments` (--set) applied; resolved. */
pawl_status pawl_project_cases(struct pawl_project *project, const struct pawl_oracle *oracle, const char *only,
                               const char *assignments, struct pawl_case **out, size_t *count, struct pawl_error *err);

#endif
