/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "protocol/stamp.h"

/* Says that the caches are flushed, and waits until pawl has changed the inputs: protocol/stamp.h.
   `stamp` is the beginning of the shared memory. No signal handler runs meanwhile: it would see the
   first inputs that change before the last ones do. */
void host_await_inputs(pawl_stamp *stamp);
/* Wakes pawl behind a call, because it draws the next inputs only then. */
void host_tell_end(pawl_stamp *stamp);

/* Waits until pawl holds all other threads of the kernel, or, without `hold`, as long as that
 * takes. */
void host_await_freeze(pawl_stamp *stamp, bool hold);
/* Says that the call has ended. True: pawl had to let them go before, so the call counts for
 * nothing. */
bool host_end_hold(pawl_stamp *stamp);
