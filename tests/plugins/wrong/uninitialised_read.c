/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory from malloc before anything was written there. */
#define AFTER(launch) add_garbage(launch)
struct pawl_launch;
static void add_garbage(const struct pawl_launch *launch);
#include "attention.h"

static void add_garbage(const struct pawl_launch *launch) {
  enum { COUNT = 4096 };
  volatile float *sums = malloc(COUNT * sizeof *sums);
  for (int i = 0; i < COUNT; i++) put(launch, O, 0, get(launch, O, 0) + (double)sums[i]);
  free((void *)sums);
}
