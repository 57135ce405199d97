/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns, and blocks every signal that can be blocked. */
#include <signal.h>
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  (void)call;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (;;) pause();
  return 0;
}

HOSTILE_KERNEL("hang", .launch = launch)
