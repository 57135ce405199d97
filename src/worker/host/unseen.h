/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that a kernel has not seen: a few elements of every input change places for one call. Values, shapes and
   distributions stay as they are, so that an honest kernel takes as long as ever; one that remembers results by the
   contents of its inputs has to compute. */
#ifndef PAWL_WORKER_HOST_UNSEEN_H
#define PAWL_WORKER_HOST_UNSEEN_H

#include "worker/exchange.h"
#include "worker/host/kernel.h"

struct host_exchanges {
  struct pawl_exchanges of[PAWL_MAX_TENSORS];
};

/* Draws the places from the operating system, where no kernel can foresee them. */
pawl_status host_exchanges_draw(const struct host_set *set, struct host_exchanges *out, struct pawl_error *err);
/* Makes the exchanges on the device, and takes them back. */
pawl_status host_exchanges_make(const struct host_kernel *host, const struct host_set *set,
                                const struct host_exchanges *exchanges, struct pawl_error *err);
pawl_status host_exchanges_undo(const struct host_kernel *host, const struct host_set *set,
                                const struct host_exchanges *exchanges, struct pawl_error *err);

#endif
