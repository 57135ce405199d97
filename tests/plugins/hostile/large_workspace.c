/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for a workspace that no machine has. */
#include "scale.h"

static size_t workspace(const struct pawl_shape *shape) {
  (void)shape;
  return (size_t)1 << 50;
}

HOSTILE_KERNEL("large_workspace", .launch = scale, .workspace_bytes = workspace)
