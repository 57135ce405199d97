/* SPDX-License-Identifier: Apache-2.0 */
/* Gives itself one second of CPU time and uses it up. */
#include <sys/resource.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  const struct rlimit limit = {1, 1};
  setrlimit(RLIMIT_CPU, &limit);
  volatile int64_t turns = call->threads;
  while (turns > 0) turns = turns < 1000 ? turns + 1 : 1;
  return 0;
}

HOSTILE_KERNEL("cpu_limit", .launch = launch)
