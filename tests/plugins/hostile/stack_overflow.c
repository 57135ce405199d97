/* SPDX-License-Identifier: Apache-2.0 */
/* Recurses until the stack is gone. */
#include "scale.h"

static int deeper(volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return deeper(here) + here[0];
}

static int launch(const struct pawl_launch *call) { return deeper(call->tensors[1].data); }

HOSTILE_KERNEL("stack_overflow", .launch = launch)
