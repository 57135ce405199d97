/* SPDX-License-Identifier: Apache-2.0 */
/* Takes all the memory it can get, and uses it. */
#include <stdlib.h>
#include <string.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  for (;;) {
    char *block = malloc(1 << 24);
    memset(block, 1, 1 << 24);
  }
  return 0;
}

HOSTILE_KERNEL("allocates", .launch = launch)
