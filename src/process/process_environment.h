/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of process/process.c: what a child finds in its environment. */
#ifndef PAWL_PROCESS_PROCESS_ENVIRONMENT_H
#define PAWL_PROCESS_PROCESS_ENVIRONMENT_H

#include <stdbool.h>

#include "process/sandbox.h"

#define PAWL_DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin" /* where we were started with none */

/* Ours with changes, as struct pawl_process_options has them. Allocated as one array, ended by
   NULL; its strings are borrowed. `mark` may be ""; the plan is that of the child's sandbox, or
   NULL. */
const char **pawl_process_environment(const char *const *changes, bool drop_secrets,
                                      const char *mark, struct pawl_sandbox_plan *plan);

#endif
