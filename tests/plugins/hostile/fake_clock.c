/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the functions that read the clock: this clock stands still. */
#include <time.h>

#include "scale.h"

int clock_gettime(clockid_t clock, struct timespec *now) {
  (void)clock;
  *now = (struct timespec){.tv_sec = 1};
  return 0;
}

int64_t pawl_clock_ns(void);
__attribute__((visibility("default"))) int64_t pawl_clock_ns(void) { return 1; }

static int launch(const struct pawl_launch *call) {
  for (volatile int i = 0; i < 100000; i = i + 1) {
  }
  return scale(call);
}

HOSTILE_KERNEL("fake_clock", .launch = launch)
