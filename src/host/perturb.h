/* SPDX-License-Identifier: Apache-2.0 */
/* Makes inputs that a kernel has not seen: a few elements of every input change places for one
   call. Values, shapes and distributions stay the same, so an honest kernel takes the same time. A
   kernel that computed ahead, or remembers results by the contents of its inputs, must compute. New
   values come from pawl itself (protocol/stamp.h). */
#pragma once

#include "host/kernel.h"
#include "protocol/swap.h"

struct host_swaps {
  struct pawl_swaps inputs[PAWL_MAX_TENSORS];
};

/* Lets the device change the inputs of the next timed call as late as it can. Without `swap` the
   device only rewrites them. Returns false if it cannot. */
bool host_swaps_leave(const struct host_kernel *host, const struct host_set *set, bool swap);
/* Draws the places from the operating system, so no kernel can foresee them. */
pawl_status host_swaps_draw(const struct host_set *set, struct host_swaps *out,
                            struct pawl_error *err);
/* The first exchanges the elements in device memory, the second reverses the exchange. */
pawl_status host_swaps_apply(const struct host_kernel *host, const struct host_set *set,
                             const struct host_swaps *swaps, struct pawl_error *err);
pawl_status host_swaps_revert(const struct host_kernel *host, const struct host_set *set,
                              const struct host_swaps *swaps, struct pawl_error *err);
