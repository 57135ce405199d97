/* SPDX-License-Identifier: Apache-2.0 */
/* Aborts. */
#include <stdlib.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  abort();
}

HOSTILE_KERNEL("abort", .launch = launch)
