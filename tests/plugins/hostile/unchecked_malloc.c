/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for more memory than there is and does not look whether it got it. */
#include <stdlib.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  volatile char *block = malloc((size_t)1 << 46);
  block[call->threads] = 1;
  return 0;
}

HOSTILE_KERNEL("unchecked_malloc", .launch = launch)
