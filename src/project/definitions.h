/* SPDX-License-Identifier: Apache-2.0 */
/* The -D of a command line, and the parameters of the suite: what no source reads changes nothing.
 */
#ifndef PAWL_PROJECT_DEFINITIONS_H
#define PAWL_PROJECT_DEFINITIONS_H

#include "project/project.h"

/* Warns of the parameters of `params` and `tune` that no source of the kernel reads, with the
 * nearest macro. */
void pawl_params_warn(struct pawl_project *project, const struct pawl_kernel_spec *spec);

/* PAWL_USAGE: no kernel named (all when none is) reads one of the project's definitions; names the
   nearest parameter. Warns of the kernels' own parameters too. */
pawl_status pawl_definitions_check(struct pawl_project *project, char *const *names, int count,
                                   struct pawl_error *err);

#endif
