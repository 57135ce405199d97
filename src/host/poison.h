/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every call of a batch writes its outputs. The outputs are poisoned only before the
 * first call of a batch, so a kernel could skip later calls: because the outputs are written, or
 * because it counts its calls. Untimed batches of an unforeseeable length find this out. Between
 * their calls, pawl overwrites a byte of the outputs at a random offset. After the last call no
 * such byte may remain. Otherwise they equal timed batches. The check misses outputs that are
 * written without being computed again, and a kernel that reads the memory before its launch in a
 * captured graph. */
#pragma once

#include "host/kernel.h"

/* Draws a batch of 2 to `max_calls` calls. `max_calls` is at least 2. The outputs of `set` must be
   complete. */
pawl_status host_poisons_draw(const struct host_kernel *host, const struct host_set *set,
                              int max_calls, int *calls, struct host_poisons *out,
                              struct pawl_error *err);
/* Call this after the batch. Sets *left_out if any overwritten byte still has its poison; leaves it
   unchanged otherwise. */
pawl_status host_poisons_check(const struct host_kernel *host, const struct host_poisons *poisons,
                               bool *left_out, struct pawl_error *err);
