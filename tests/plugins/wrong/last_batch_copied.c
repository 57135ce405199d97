/* SPDX-License-Identifier: Apache-2.0 */
/* The last batch gets the first one's results. */
struct pawl_launch;
static void copy_batch(const struct pawl_launch *launch);
#define AFTER(launch) copy_batch(launch)
#include "attention.h"

static void copy_batch(const struct pawl_launch *launch) {
  const int64_t batches = launch->tensors[O].size[0], each = elements(launch) / batches;
  for (int64_t i = 0; i < each && batches > 1; i++)
    put(launch, O, (batches - 1) * each + i, get(launch, O, i));
}
