/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a forged answer to descriptors 3 and 4, where the protocol says they are. */
#include <string.h>
#include <unistd.h>

#include "scale.h"

static int launch(const struct pawl_launch *call) {
  static const char forged[] = "\x1a\0\0\0{\"id\":3,\"result\":{\"ns\":1}}";
  if (write(3, forged, sizeof forged - 1) + write(4, forged, sizeof forged - 1) > 0) return 9;
  return scale(call);
}

HOSTILE_KERNEL("writes_frames", .launch = launch)
