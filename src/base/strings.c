/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strings.h"

#include <string.h>

void pawl_strings_add(struct pawl_strings *strings, struct pawl_arena *arena, const char *text) {
  if (strings->count + 2 > strings->room) {
    const size_t room = 2 * strings->count + 4;
    const char **grown = pawl_arena_alloc(arena, room, sizeof *grown);
    if (strings->count) memcpy(grown, strings->items, strings->count * sizeof *grown);
    strings->items = grown;
    strings->room = room;
  }
  strings->items[strings->count++] = text;
  strings->items[strings->count] = NULL;
}

bool pawl_strings_equal(const void *a, const void *b) {
  const struct pawl_strings *x = a, *y = b;
  if (x->count != y->count || !x->items != !y->items) return false;
  for (size_t i = 0; i < x->count; i++)
    if (strcmp(x->items[i], y->items[i]) != 0) return false;
  return true;
}
