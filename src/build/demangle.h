/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions as people wrote them, from those of machine code (Itanium C++ ABI,
 * section 5.1). */
#pragma once

#include "base/memory.h"

/* "(anonymous namespace)::sdpa<__half, 64>", without what it returns and takes; the name itself
   where it is no C++ name. In the arena. */
const char *pawl_demangle(const char *name, struct pawl_arena *arena);
