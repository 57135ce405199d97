/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that a kernel has not seen: a few elements of every input change places for one call.
   Values, shapes and distributions stay as they are, so that an honest kernel takes as long as
   ever. A kernel that remembers results by the contents of its inputs has to compute. */
#pragma once

#include "host/kernel.h"
#include "protocol/swap.h"

struct host_swaps {
  struct pawl_swaps inputs[PAWL_MAX_TENSORS];
};

/* Leaves it to the device to change the inputs of the next timed call, or (without `swap`) to
   rewrite them, as late as it can. false: it cannot. */
bool host_swaps_leave(const struct host_kernel *host, const struct host_set *set, bool swap);
/* Draws the places from the operating system, where no kernel can foresee them. */
pawl_status host_swaps_draw(const struct host_set *set, struct host_swaps *out,
                            struct pawl_error *err);
/* Makes the swaps on the device, and takes them back. */
pawl_status host_swaps_apply(const struct host_kernel *host, const struct host_set *set,
                             const struct host_swaps *swaps, struct pawl_error *err);
pawl_status host_swaps_revert(const struct host_kernel *host, const struct host_set *set,
                              const struct host_swaps *swaps, struct pawl_error *err);
