/* SPDX-License-Identifier: Apache-2.0 */
/* Fails when a credential of pawl is in its environment. */
#include <stdlib.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  if (getenv("PAWL_TEST_TOKEN") || getenv("PAWL_TEST_SECRET")) return 1;
  return getenv("PAWL_PROTOCOL") ? scale(call) : 2;
}

HOSTILE_KERNEL("sees_secret", .launch = launch)
