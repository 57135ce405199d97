/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files of the tree that a program may read when it runs: the constants of a plug-in or
 * the text of a script names them. A name that the program puts together at run time stays unknown.
 * docs/adr/identical-code.md argues it. */
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

/* Adds the names and the contents of the files that the program names. Returns false and adds
 * nothing if it names none. */
bool pawl_named_files_hash(const char *program, const char *tree, struct pawl_hasher *hasher);
