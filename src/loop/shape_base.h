/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the base's kernel, whose shapes a change must take. docs/adr/dropped-shapes.md argues
 * it. */
#pragma once

#include "check/matrix.h"
#include "loop/arm_pairs.h"

struct pawl_shape_base {
  const struct pawl_run_context *run;
  const struct pawl_arm_pairs *pairs;
  const struct pawl_ready_kernel *kernel; /* the change's */
  bool sought;
  const struct pawl_ready_kernel *found; /* NULL: there is no base */
  struct pawl_ready_kernel built;
  struct pawl_check_matrix own; /* the shapes of the change's own suite */
};

/* Returns the kernel of the commit that --against names. Without one it is the merge base's, and on
 * main the anchor's. Returns NULL if there is none, with a notice if pawl cannot get it. */
const struct pawl_ready_kernel *pawl_shape_base_find(struct pawl_shape_base *base);

/* Lists the shapes that the change must take if the base does: those of its own suite, if the gate
 * of the base lets a change remove others. *out becomes NULL if it must take all shapes. */
pawl_status pawl_shape_base_promised(struct pawl_shape_base *base,
                                     const struct pawl_check_matrix **out, struct pawl_error *err);
void pawl_shape_base_release(struct pawl_shape_base *base);
