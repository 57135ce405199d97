/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a program may read when it runs, besides its code and the files of its tree
 * (build/named_files.h): variables, and files outside of the repository. */
#pragma once

#include "base/hash.h"
#include "base/strings.h"

/* Adds the environment variables and the files outside of the tree that the plug-in or script
 * `program` names. If a plug-in can open any file, or if it is a script, `allowed` also counts: the
 * files and folders of measure.files, by inode, size and times. The files below PYTHONPATH count
 * for a script. NULL: no program. */
void pawl_other_inputs_hash(const char *program, const char *tree,
                            const struct pawl_strings *allowed, struct pawl_hasher *hasher);

/* Adds the environment variables and the files that the text of a script names. */
void pawl_named_inputs_hash(const char *text, size_t length, struct pawl_hasher *hasher);
/* Adds the files of measure.files, and those below PYTHONPATH if the program is Python's. */
void pawl_outside_files_hash(const struct pawl_strings *allowed, bool is_python,
                             struct pawl_hasher *hasher);
