/* SPDX-License-Identifier: Apache-2.0 */
/* Finds whether sources read a macro. A -D that nothing reads changes nothing, and its measurement
 * would mislead. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"

/* Returns whether the name stands as a word in the file or in a file that it includes, found beside
 * the file or in one of the folders. pawl does not read system headers, so it returns true for
 * NDEBUG and for names that begin with an underscore. */
bool pawl_source_reads(const char *path, const char *macro, const char *const *folders,
                       size_t folder_count);

/* Returns whether this file has the name as a word. */
bool pawl_file_has_word(const char *path, const char *word);

/* Returns the name nearest to `macro` among the words of the file's own preprocessor lines (#ifndef
 * BLOCK_M), in the arena, or NULL if none is near. */
const char *pawl_source_nearest_macro(const char *path, const char *macro,
                                      struct pawl_arena *arena);
