/* SPDX-License-Identifier: Apache-2.0 */
/* pawl check --sanitize: which tools are asked for, and what they found, as text and as JSON. */
#ifndef PAWL_CLI_SANITIZE_H
#define PAWL_CLI_SANITIZE_H

#include "cli/command.h"
#include "project/sanitize_kernel.h"

/* The tools asked for, NULL-terminated, in the arena. PAWL_USAGE with the nearest name. */
pawl_status pawl_cli_sanitize_tools(const char *list, struct pawl_arena *arena,
                                    const char *const **out, struct pawl_error *err);

/* *verdict: PAWL_FAILED when a tool found something or a kernel does not build, PAWL_UNDECIDED when
   one could not be run (the sanitizer is missing) or there was nothing to run it on. */
pawl_status pawl_cli_sanitize(struct pawl_cli *cli, struct pawl_project *project,
                              const struct pawl_sanitize_selection *selection, char **names,
                              int count, enum pawl_status_code *verdict, struct pawl_error *err);

#endif
