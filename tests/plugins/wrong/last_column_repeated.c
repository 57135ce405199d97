/* SPDX-License-Identifier: Apache-2.0 */
/* The last column of O repeats the one before. */
struct pawl_launch;
static void repeat_column(const struct pawl_launch *launch);
#define AFTER(launch) repeat_column(launch)
#include "attention.h"

static void repeat_column(const struct pawl_launch *launch) {
  const int64_t d = launch->tensors[O].size[3];
  for (int64_t i = d - 1; i < elements(launch); i += d) put(launch, O, i, get(launch, O, i - 1));
}
