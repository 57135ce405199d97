/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the real descriptor of the answers and writes nonsense to it. */
#include <string.h>
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  char nonsense[256];
  memset(nonsense, 'x', sizeof nonsense);
  for (int fd = 3; fd < 4096; fd++) {
    if (write(fd, nonsense, sizeof nonsense) < 0) continue;
  }
  return scale(call);
}

HOSTILE_KERNEL("floods_frames", .launch = launch)
