/* SPDX-License-Identifier: Apache-2.0 */
/* Right in the first call of a process, 1 % too large in all others. */
struct pawl_launch;
static void enlarge_later(const struct pawl_launch *launch);
#define AFTER(launch) enlarge_later(launch)
#include "attention.h"

static void enlarge_later(const struct pawl_launch *launch) {
  static int calls;
  for (int64_t i = 0; calls > 0 && i < elements(launch); i++)
    put(launch, O, i, get(launch, O, i) * 1.01);
  calls++;
}
