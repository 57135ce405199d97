/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to process/process.c: the environment of a child. */
#pragma once

#include <stdbool.h>

#include "process/sandbox.h"

/* used when our own environment has no PATH */
#define PAWL_DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* Returns our environment with the changes of struct pawl_process_options. One allocated array of
   borrowed strings, NULL-terminated. `mark` may be "". `plan` is that of the child's sandbox, or
   NULL. */
const char **pawl_process_environment(const char *const *changes, bool drop_secrets,
                                      const char *mark, struct pawl_sandbox_plan *plan);
