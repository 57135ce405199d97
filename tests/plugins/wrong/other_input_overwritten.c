/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the input of the call before, where that lay elsewhere. */
struct pawl_launch;
static void spoil_the_one_before(const struct pawl_launch *launch);
#define AFTER(launch) spoil_the_one_before(launch)
#include "attention.h"

static void spoil_the_one_before(const struct pawl_launch *launch) {
  static unsigned char *before;
  unsigned char *now = launch->tensors[V].data;
  if (before && before != now) before[64] ^= 0x40;
  before = now;
}
