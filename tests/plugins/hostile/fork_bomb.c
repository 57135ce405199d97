/* SPDX-License-Identifier: Apache-2.0 */
/* Starts processes that start processes, as many as it can. */
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  for (;;)
    if (fork() < 0) usleep(1000);
  return 0;
}

HOSTILE_KERNEL("fork_bomb", .launch = launch)
