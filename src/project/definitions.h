/* SPDX-License-Identifier: Apache-2.0 */
/* Finds -D options and suite parameters without effect, because no source reads them. */
#pragma once

#include "project/project.h"

/* Warns of each parameter of `params` and `tune` that no source of the kernel reads, and names the
   nearest macro. */
void pawl_params_warn(struct pawl_project *project, const struct pawl_kernel_spec *spec);

/* Fails with PAWL_USAGE if none of the named kernels (all if none is named) reads one of the
 * project's definitions; the error names the nearest parameter. Also warns of the kernels' own
 * parameters. */
pawl_status pawl_definitions_check(struct pawl_project *project, char *const *names, int count,
                                   struct pawl_error *err);
