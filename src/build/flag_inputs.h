/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the inputs that a build's plan names: compilers, their helpers, and the files and folders
 * in flags, response files and variables. */
#pragma once

#include "build/inputs.h"
#include "build/plan.h"

struct pawl_flag_inputs {
  struct pawl_inputs all; /* in the order of discovery: equal plans give equal lists */
  /* the inputs of `all` that neither the preprocessor nor the linker shows */
  struct pawl_inputs key;
  /* a script of the tree compiles, or the compiler has a plug-in: it may read any file of the
   * tree */
  bool opaque;
  bool unlisted;  /* a flag keeps files out of the compiler's list */
  bool assembler; /* a source is in assembler, which may include any file of the tree */
};

void pawl_flag_inputs_find(const struct pawl_build_plan *plan, const struct pawl_input_look *look,
                           struct pawl_arena *arena, struct pawl_flag_inputs *out);
