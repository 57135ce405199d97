/* SPDX-License-Identifier: Apache-2.0 */
/* Sends itself SIGKILL. */
#include <signal.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  return raise(SIGKILL);
}

HOSTILE_KERNEL("kill_itself", .launch = launch)
