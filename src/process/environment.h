/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the environment of a child, for process/process.c alone. */
#pragma once

#include <stdbool.h>

#include "process/sandbox.h"

/* for an environment of ours without PATH */
#define PAWL_DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* Returns our environment with the changes of struct pawl_process_options. The NULL-terminated
 * array is allocated and borrows its strings. `mark` may be "". `plan` is that of the child's
 * sandbox, or NULL. */
const char **pawl_process_environment(const char *const *changes, bool drop_secrets,
                                      const char *mark, struct pawl_sandbox_plan *plan);
