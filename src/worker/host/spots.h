/* SPDX-License-Identifier: Apache-2.0 */
/* Does every call of a batch do its work? Outputs are poisoned before the first call of a batch alone, so a kernel
   could leave the others out: because it finds its outputs written, or because it counts its calls. A batch that is not
   timed tells, of a length that no kernel can foresee: between its calls an element of the outputs is overwritten, at
   places that no kernel can foresee either, and after the last of them all must have been written again. */
#ifndef PAWL_WORKER_HOST_SPOTS_H
#define PAWL_WORKER_HOST_SPOTS_H

#include "worker/host/kernel.h"

/* Makes batches of 2 .. `calls` calls on a set whose outputs are complete. */
pawl_status host_spots_check(struct host_kernel *host, struct host_set *set, int calls, bool *left_out,
                             struct pawl_error *err);

#endif
