/* SPDX-License-Identifier: Apache-2.0 */
/* Says it is deterministic, and the last bit depends on how often it was called. */
static unsigned calls;
#define AFTER(launch) flip_last_bit(launch)
struct pawl_launch;
static void flip_last_bit(const struct pawl_launch *launch);
#include "attention.h"

static void flip_last_bit(const struct pawl_launch *launch) {
  *(unsigned char *)launch->tensors[O].data ^= calls++ & 1;
}
