/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/memory.h"

/* Returns the text of a Python file without the words that cannot name another file: those outside
 * of strings and imports, and those of comments and of strings that document the code. A word with
 * a dot stays, because a package may import a module when a name of it is used. Each blank stands
 * for a letter. */
char *pawl_python_names(const char *text, size_t length, struct pawl_arena *arena);
