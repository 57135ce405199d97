/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the installations of the Python programs that a suite names, which may lie in the user's
 * home. */
#pragma once

#include "project/project.h"
#include "worker/surroundings.h"

/* Returns the path of a program that has this name on PATH or this absolute path. Returns NULL if
 * there is none, or if it lies in a tree of the repository, also behind a link: a change could
 * bring it, so pawl never starts it outside of a sandbox. The caller frees the path. */
char *pawl_interpreter_find(const struct pawl_surroundings *around, const char *name);

/* Runs a script of pawl's by an interpreter, without secrets, and reads at most `limit` bytes of
 * its output into `out`. The script has sys, os and the whole sys.path. No file of the repository
 * customises the interpreter. Returns false if pawl_interpreter_find refuses the interpreter, or if
 * it fails or takes longer. */
bool pawl_interpreter_ask(const struct pawl_surroundings *around, const char *name,
                          const char *script, double seconds, size_t limit, struct pawl_text *out);

/* Asks each program once where its packages are, and adds its paths to `around`. A program of the
   repository itself does not run for this. */
void pawl_interpreters_add(struct pawl_project *project, struct pawl_surroundings *around);
