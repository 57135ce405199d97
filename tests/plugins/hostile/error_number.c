/* SPDX-License-Identifier: Apache-2.0 */
/* Returns an error number, with words. */
#include "scale.h"

static const char *words(int number) { return number == 42 ? "the answer\nis wrong" : NULL; }

static int launch(const struct pawl_launch *call) {
  (void)call;
  return 42;
}

HOSTILE_KERNEL("error_number", .launch = launch, .error = words)
