/* SPDX-License-Identifier: Apache-2.0 */
/* Stops its own process. */
#include <signal.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  return raise(SIGSTOP);
}

HOSTILE_KERNEL("stop", .launch = launch)
