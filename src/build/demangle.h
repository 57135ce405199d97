/* SPDX-License-Identifier: Apache-2.0 */
/* Turns names of functions in machine code (Itanium C++ ABI, section 5.1) into the names in the
 * source. */
#pragma once

#include "base/memory.h"

/* Returns "(anonymous namespace)::sdpa<__half, 64>" in the arena, without result and parameters.
 * Returns `name` itself if it is no C++ name. */
const char *pawl_demangle(const char *name, struct pawl_arena *arena);
