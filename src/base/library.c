/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

pawl_status pawl_library_open(const char *variable, const char *name, const char *what,
                              void **library, struct pawl_error *err) {
  const char *given = getenv(variable);
  void *handle = dlopen(given && *given ? given : name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return pawl_fail(err, PAWL_UNAVAILABLE, "no %s: %s", what, dlerror());
  *library = handle;
  return PAWL_OK;
}

const char *pawl_library_find(void *library, const struct pawl_symbol *symbols, size_t count) {
  const char *missing = NULL;
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(library, symbols[i].name);
    if (!address && symbols[i].older) address = dlsym(library, symbols[i].older);
    memcpy(symbols[i].slot, &address,
           sizeof address); /* POSIX: a function's address fits into a void pointer */
    if (!address && !missing) missing = symbols[i].name;
  }
  return missing;
}
