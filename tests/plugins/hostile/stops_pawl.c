/* SPDX-License-Identifier: Apache-2.0 */
/* Stops the process that watches over it and its time. */
#include <signal.h>
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  kill(getppid(), SIGSTOP);
  return scale(call);
}

HOSTILE_KERNEL("stops_pawl", .launch = launch)
