/* SPDX-License-Identifier: Apache-2.0 */
/* A shipped kernel with two parameters: VERSION changes its machine code alone, SPIN_NS makes each
 * call longer. */
#define pawl_kernel_entry shipped_entry
#include "sdpa_cpu_fast.c"
#undef pawl_kernel_entry

#include <time.h>

PAWL_EXPORT int version_of_kernel(void);
PAWL_EXPORT const struct pawl_kernel *pawl_kernel_entry(void);

int version_of_kernel(void) { return VERSION; }

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int launch_longer(const struct pawl_launch *call) {
  const int number = kernel.launch(call);
  for (const long long end = now_ns() + SPIN_NS; now_ns() < end;) continue;
  return number;
}

const struct pawl_kernel *pawl_kernel_entry(void) {
  static struct pawl_kernel longer;
  longer = kernel;
  if (SPIN_NS > 0) longer.launch = launch_longer;
  return &longer;
}
