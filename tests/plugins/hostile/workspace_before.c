/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one byte before its workspace. */
#include "scale.h"

static size_t workspace(const struct pawl_shape *shape) {
  (void)shape;
  return 1000;
}

static int launch(const struct pawl_launch *call) {
  *((unsigned char *)call->workspace - 1) = 0;
  return scale(call);
}

HOSTILE_KERNEL("workspace_before", .launch = launch, .workspace_bytes = workspace)
