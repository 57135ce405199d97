/* SPDX-License-Identifier: Apache-2.0 */
/* A list of strings. */
#pragma once

#include <stddef.h>

#include "base/memory.h"

struct pawl_strings {
  /* `count` strings and a NULL, so that a command's items are an argv. NULL: the key is not given.
   */
  const char **items;
  size_t count;
};

/* Appends a string without copying it. The longer list lives in the arena. */
void pawl_strings_add(struct pawl_strings *strings, struct pawl_arena *arena, const char *text);
