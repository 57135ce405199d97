/* SPDX-License-Identifier: Apache-2.0 */
/* Prints four megabytes to each stream at every call. */
#include <stdio.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  for (int i = 0; i < 1 << 16; i++) {
    puts("standard output, a line of sixty-four bytes, again and again ..");
    fputs("standard error, a line of sixty-four bytes, again and again ...\n", stderr);
  }
  return scale(call);
}

HOSTILE_KERNEL("prints", .launch = launch)
