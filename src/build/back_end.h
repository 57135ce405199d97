/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the programs that compilers start, such as cc1, cicc, the assembler and the linker, and the
 * libraries that these programs load. The compilers themselves name them. */
#pragma once

#include "build/build_options.h"
#include "build/inputs.h"
#include "build/plan.h"

/* Adds the programs, the libraries and the folders in which compilers look for programs to `out`,
 * with their hashes. `programs` are programs that the caller knows; pawl asks for their libraries
 * too. A command asks each compiler once, and again if one of the answers has changed. */
pawl_status pawl_back_end_find(const struct pawl_build_plan *plan,
                               const struct pawl_build_options *options,
                               const struct pawl_input_look *look,
                               const struct pawl_inputs *programs, struct pawl_arena *arena,
                               struct pawl_inputs *out, struct pawl_error *err);
