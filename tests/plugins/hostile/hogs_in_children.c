/* SPDX-License-Identifier: Apache-2.0 */
/* Takes memory in many processes, each of them below the limit of one. */
#include <stdlib.h>
#include <unistd.h>

#include "scale.h"

#define CHILDREN 8
#define BYTES ((size_t)300 << 20)

static int launch(const struct pawl_launch *call) {
  (void)call;
  for (int i = 0; i < CHILDREN; i++) {
    if (fork()) continue;
    volatile char *bytes = malloc(BYTES);
    for (size_t j = 0; bytes && j < BYTES; j += 4096) bytes[j] = 1;
    for (;;) pause();
  }
  for (;;) pause();
  return 0;
}

HOSTILE_KERNEL("hogs_in_children", .launch = launch)
