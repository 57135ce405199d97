/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `pawl check --sanitize` and prints the findings as text or JSON. */
#pragma once

#include "cli/command.h"
#include "project/sanitize_kernel.h"

/* Parses a list of tools into out->tools. PAWL_USAGE names the nearest name. */
pawl_status pawl_cli_sanitize_tools(const char *list, struct pawl_arena *arena,
                                    struct pawl_sanitize_selection *out, struct pawl_error *err);

/* *verdict is PAWL_FAILED if there is a finding or a failed build, and PAWL_UNDECIDED if a tool did
 * not run (the sanitizer is missing) or had no kernel. */
pawl_status pawl_cli_sanitize(struct pawl_cli *cli, struct pawl_project *project,
                              const struct pawl_sanitize_selection *selection, char **names,
                              int count, enum pawl_status_code *verdict, struct pawl_error *err);
