/* SPDX-License-Identifier: Apache-2.0 */
/* A library opened at run time, its functions looked up by name. */
#ifndef PAWL_DEVICE_CUDA_LIBRARY_H
#define PAWL_DEVICE_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Where a function's address goes. */
struct pawl_symbol {
  const char *name, *older; /* older: stands in when `name` is not there; NULL: nothing does */
  void *slot;               /* a function pointer */
};

/* Opens $variable, else `name`. PAWL_UNAVAILABLE: "no <what>: <the loader's words>". */
pawl_status pawl_library_open(const char *variable, const char *name, const char *what,
                              void **library, struct pawl_error *err);

/* Fills the slots; those of absent functions become NULL. Returns the name of the first absent one,
 * or NULL. */
const char *pawl_library_find(void *library, const struct pawl_symbol *symbols, size_t count);

#endif
