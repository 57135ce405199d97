/* SPDX-License-Identifier: Apache-2.0 */
/* Finds whether sources read a macro. A -D that nothing reads changes nothing, and its measurement
 * would mislead. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"

/* Returns whether this file has the name as a word. */
bool pawl_file_has_word(const char *path, const char *word);

/* Returns the name nearest to `macro` among the words of the file's own preprocessor lines (#ifndef
 * BLOCK_M), in the arena, or NULL if none is near. */
const char *pawl_source_nearest_macro(const char *path, const char *macro,
                                      struct pawl_arena *arena);
