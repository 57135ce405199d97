/* SPDX-License-Identifier: Apache-2.0 */
/* Not hostile at all: what the others are compared with. */
#include "scale.h"

static int launch(const struct pawl_launch *launch_) {
  scale(launch_);
  return 0;
}

HOSTILE_KERNEL("honest", launch, NULL)
