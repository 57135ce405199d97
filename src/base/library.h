/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a library at run time and finds its functions by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A place for the address of a function. */
struct pawl_symbol {
  const char *name, *older; /* older: the function to take if `name` is missing; NULL: none */
  void *slot;               /* a function pointer */
};

/* Opens $variable, else `name`. Fails with PAWL_UNAVAILABLE: "no <what>: <the loader's words>". */
pawl_status pawl_library_open(const char *variable, const char *name, const char *what,
                              void **library, struct pawl_error *err);

/* Fills the slots, with NULL for an absent function. Returns the name of the first absent one, or
 * NULL. */
const char *pawl_library_find(void *library, const struct pawl_symbol *symbols, size_t count);
