/* SPDX-License-Identifier: Apache-2.0 */
/* Describes how a kernel's GPU machine code changed, from the compiler's output alone. */
#pragma once

#include "build/build.h"

/* Returns one line in the arena with the most changed functions first: "machine code of f(float *):
 * registers a thread 168 -> 255, spills 0 B -> 512 B". Returns NULL if no common function changed,
 * or none is known. */
const char *pawl_static_change(const struct pawl_build_result *base,
                               const struct pawl_build_result *candidate, struct pawl_arena *arena);
