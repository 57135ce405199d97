/* SPDX-License-Identifier: Apache-2.0 */
#include "build/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define STATIC_MARK "__nv_static_"

/* In relocatable code nvcc calls a function of internal linkage __nv_static_30__<module>__<name>,
   and 30 is the length of "<module>_" and the first '_'. */
static const char *skip_module(const char *name) {
  const char *module = pawl_starts_with(name, STATIC_MARK) ? name + strlen(STATIC_MARK) : NULL;
  char *end = NULL;
  const unsigned long length = module ? strtoul(module, &end, 10) : 0;
  if (!module || end == module || !pawl_starts_with(end, "__") || strlen(end) <= length + 2)
    return name;
  return end + 2 + length;
}

const char *pawl_demangle(const char *name, struct pawl_arena *arena) {
  name = skip_module(name);
  char *readable = cplus_demangle_v3(name, DMGL_ANSI);
  const char *out = pawl_arena_copy(arena, readable ? readable : name);
  free(readable); /* allocated by the library */
  return out;
}
