/* SPDX-License-Identifier: Apache-2.0 */
/* Closes every descriptor of the process. */
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  for (int fd = 0; fd < 4096; fd++) close(fd);
  return scale(call);
}

HOSTILE_KERNEL("closes_descriptors", .launch = launch)
