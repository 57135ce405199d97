/* SPDX-License-Identifier: Apache-2.0 */
/* Overwrites the input of its first call in a later call on other inputs. */
#include "scale.h"

static int launch(const struct pawl_launch *call) {
  static float *first;
  static int calls;
  float *x = call->tensors[0].data;
  if (!first) first = x;
  if (++calls > 4 && x != first) first[3] = 0;
  return scale(call);
}

HOSTILE_KERNEL("writes_elsewhere", .launch = launch)
