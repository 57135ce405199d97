/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_HOST_LATE_INPUTS_H
#define PAWL_HOST_LATE_INPUTS_H

#include "protocol/stamp.h"

/* Says that the caches are flushed, and waits until pawl has changed the inputs: protocol/stamp.h. `stamp` is the
   beginning of the shared memory. */
void host_await_inputs(pawl_stamp *stamp);

#endif
