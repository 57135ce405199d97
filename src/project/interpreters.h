/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the installations of the Python programs that a suite names, which may lie in the user's
 * home. */
#pragma once

#include "project/project.h"
#include "worker/surroundings.h"

/* Runs a script of pawl's by an interpreter in `folder`, without secrets, and reads at most `limit`
   bytes of its output into `out`. Returns false if it fails or takes longer. */
bool pawl_interpreter_ask(const char *program, const char *script, const char *folder,
                          double seconds, size_t limit, struct pawl_text *out);

/* Asks each program once where its packages are, and adds its paths to `around`. A program of the
   repository itself does not run for this. */
void pawl_interpreters_add(struct pawl_project *project, struct pawl_surroundings *around);
