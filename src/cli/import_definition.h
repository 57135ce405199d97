/* SPDX-License-Identifier: Apache-2.0 */
/* `pawl import definition FILE [WORKLOADS...]`: an operator and cases from the definition of a
 * kernel benchmark. Its JSON holds a reference in Python, so share/pawl/python/pawl_definition.py
 * does the work. */
#pragma once

#include "cli/command.h"

#define PAWL_IMPORT_DEFINITION "definition"

/* Writes the operator, and the suite if there is none. `files` ends with NULL. */
pawl_status pawl_cli_import_definition(struct pawl_cli *cli, char *const *files,
                                       struct pawl_error *err);
