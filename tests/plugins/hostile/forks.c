/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a crowd of children that hold all descriptors open, then crashes. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  for (int i = 0; i < 20; i++) {
    if (fork() == 0) {
      for (;;) pause();
    }
  }
  abort();
}

HOSTILE_KERNEL("forks", .launch = launch)
