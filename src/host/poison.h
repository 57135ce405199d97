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

/* A batch to make, of 2 to `max_calls` calls, on a set whose outputs are complete. */
pawl_status host_poisons_draw(const struct host_kernel *host, const struct host_set *set,
                              int max_calls, int *calls, struct host_poisons *out,
                              struct pawl_error *err);
/* Once it was made: does any byte stand as it was overwritten? Sets *left_out if so. */
pawl_status host_poisons_check(const struct host_kernel *host, const struct host_poisons *poisons,
                               bool *left_out, struct pawl_error *err);
