/* SPDX-License-Identifier: Apache-2.0 */
/* How the GPU's machine code of a kernel changed: known from the compiler alone, without a GPU. */
#ifndef PAWL_PROJECT_STATIC_CHANGE_H
#define PAWL_PROJECT_STATIC_CHANGE_H

#include "build/build.h"

/* One line, the functions that changed most first: "machine code of f(float *): registers a thread
   168 -> 255, spills 0 B -> 512 B". In the arena; NULL: no function of both changed, or none is
   known. */
const char *pawl_static_change(const struct pawl_build_result *base,
                               const struct pawl_build_result *candidate, struct pawl_arena *arena);

#endif
