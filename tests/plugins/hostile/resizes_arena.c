/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to shrink the shared memory under pawl's feet. */
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  for (int fd = 3; fd < 4096; fd++) {
    if (ftruncate(fd, 0) == 0) return 1;
  }
  return scale(call);
}

HOSTILE_KERNEL("resizes_arena", .launch = launch)
