/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files of the tree that a program may read when it runs: the constants of a plug-in or
 * the text of a script names them. A plug-in that opens files may put a name together at run time,
 * so all data of the tree count for it. docs/adr/identical-code.md argues it. */
#pragma once

#include <stdbool.h>

#include "base/hash.h"
#include "base/memory.h"
#include "build/words.h"

/* Lists the files that `program` names, the files that these name, and so on, by real path.
 * `program` is a plug-in, or a script that an interpreter runs. It leaves out the files that
 * compilers and linker read for the plug-in, whose contents the plug-in has. Paths live in the
 * arena. */
void pawl_named_files_find(const char *program, const char *tree, struct pawl_arena *arena,
                           struct pawl_words *out);

/* Returns whether the own code of a plug-in can open files. False for a script. */
bool pawl_opens_files(const char *program, const char *tree);

/* Adds the names and the contents of the files that the program names, and of a plug-in that opens
 * files all data of the tree: the files that git does not ignore and that are no sources. Returns
 * false and adds nothing if there are none. */
bool pawl_named_files_hash(const char *program, const char *tree, struct pawl_hasher *hasher);
