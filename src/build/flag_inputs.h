/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a build that its plan names: compilers, their helpers, and the files and folders
   in flags, response files and variables. */
#pragma once

#include "build/inputs.h"
#include "build/plan.h"

struct pawl_flag_inputs {
  struct pawl_inputs all; /* sorted as found: two equal plans give equal lists */
  struct pawl_inputs
      key;     /* the inputs of `all` that neither the preprocessor nor the linker shows */
  bool opaque; /* a script of the tree compiles, or the compiler has a plug-in: it may read any file
                  of the tree */
  bool assembler; /* a source is in assembler, which may include any file of the tree */
};

void pawl_flag_inputs_find(const struct pawl_build_plan *plan, const struct pawl_input_look *look,
                           struct pawl_arena *arena, struct pawl_flag_inputs *out);
