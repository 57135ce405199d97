/* SPDX-License-Identifier: Apache-2.0 */
/* Overwrites its input. */
#include "scale.h"

static int launch(const struct pawl_launch *call) {
  const int status = scale(call);
  ((float *)call->tensors[0].data)[3] = 0;
  return status;
}

HOSTILE_KERNEL("changes_inputs", .launch = launch)
