/* SPDX-License-Identifier: Apache-2.0 */
/* A list of texts. */
#ifndef PAWL_BASE_STRINGS_H
#define PAWL_BASE_STRINGS_H

#include <stddef.h>

#include "base/memory.h"

struct pawl_strings {
  const char **items; /* count of them and a NULL, so that a command's items are an argv; NULL: key
                         not given */
  size_t count;
};

/* Appends a text, which is not copied; the longer list lives in the arena. */
void pawl_strings_add(struct pawl_strings *strings, struct pawl_arena *arena, const char *text);

#endif
