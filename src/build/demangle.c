/* SPDX-License-Identifier: Apache-2.0 */
#include "build/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>

const char *pawl_demangle(const char *name, struct pawl_arena *arena) {
  char *readable = cplus_demangle_v3(name, DMGL_ANSI);
  const char *out = pawl_arena_copy(arena, readable ? readable : name);
  free(readable); /* the library's own allocation */
  return out;
}
