/* SPDX-License-Identifier: Apache-2.0 */
/* Does every call of a batch write its outputs? They are poisoned before the first call of a batch
   alone, so a kernel could leave the others out: because it finds its outputs written, or because
   it counts its calls. Batches that are not timed tell, of a length that the kernel cannot foresee:
   between their calls a byte of the outputs is overwritten, where it cannot foresee either, and
   after the last call none must stand there that was put there so. In all else they are as the
   timed ones. What it does not show: outputs that are written without being computed again, and a
   kernel that looks at what stands before its launch in the graph that it is captured into. */
#ifndef PAWL_HOST_POISON_H
#define PAWL_HOST_POISON_H

#include "host/kernel.h"

/* A batch to make, of 2 to `max_calls` calls, on a set whose outputs are complete. */
pawl_status host_poisons_draw(const struct host_kernel *host, const struct host_set *set,
                              int max_calls, int *calls, struct host_poisons *out,
                              struct pawl_error *err);
/* Once it was made: does any byte stand as it was overwritten? Sets *left_out if so. */
pawl_status host_poisons_check(const struct host_kernel *host, const struct host_poisons *poisons,
                               bool *left_out, struct pawl_error *err);

#endif
