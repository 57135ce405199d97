/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: y = 2 x, after as many seconds of its CPU as the first element of x says. */
#include <time.h>

#include "hostile/scale.h"

static double seconds_used(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static int launch(const struct pawl_launch *call) {
  const double begin = seconds_used(), wanted = *(const float *)call->tensors[0].data;
  while (seconds_used() - begin < wanted) continue;
  return scale(call);
}

HOSTILE_KERNEL("burns", .launch = launch)
