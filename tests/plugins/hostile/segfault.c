/* SPDX-License-Identifier: Apache-2.0 */
/* Writes through a null pointer. */
#include <stdio.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  fputs("about to fall\n", stderr);
  *(volatile int *)(intptr_t)call->workspace_bytes = 1; /* 0: it asks for no workspace */
  return 0;
}

HOSTILE_KERNEL("segfault", .launch = launch)
