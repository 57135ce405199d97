/* SPDX-License-Identifier: Apache-2.0 */
/* Overwrites its input in its fifth call, and dies there. */
#include <stdlib.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  static int calls;
  if (++calls < 5) return scale(call);
  ((float *)call->tensors[0].data)[3] = 0;
  abort();
}

HOSTILE_KERNEL("changes_and_dies", .launch = launch)
