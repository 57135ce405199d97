/* SPDX-License-Identifier: Apache-2.0 */
/* A list of strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

struct pawl_strings {
  /* `count` strings and a NULL, so a command's items are an argv; NULL: pawl.yaml has no such
   * key */
  const char **items;
  size_t count;
  size_t room; /* places that pawl_strings_add() made; 0: the items belong to somebody else */
};

/* Appends a string without copying it. The longer list lives in the arena. Append to one copy of
   the struct only: copies share the places. */
void pawl_strings_add(struct pawl_strings *strings, struct pawl_arena *arena, const char *text);
/* Compares two lists. A list that is not given differs from an empty one. */
bool pawl_strings_equal(const void *a, const void *b);
