/* SPDX-License-Identifier: Apache-2.0 */
/* y = 2 x, but first it waits for one line of x after the other: its time tells where they come
 * from. */
#include "hostile/scale.h"

#define LINE 16 /* floats */

static int launch(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  const int64_t lines = call->tensors[0].size[0] / LINE;
  int64_t line = 0;
  for (int64_t i = 0; i < lines; i++) line = (line + 29 + (int64_t)(0 * x[line * LINE])) % lines;
  return line < 0 ? 1 : scale(call); /* never */
}

HOSTILE_KERNEL("reads_lines", .launch = launch)
