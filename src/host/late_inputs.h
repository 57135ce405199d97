/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

#include "protocol/stamp.h"

/* Tells pawl that the caches are flushed, and waits until pawl has changed the inputs: see
   protocol/stamp.h. `stamp` is the beginning of the shared memory. No signal handler runs
   meanwhile, because it would see the first changed inputs too early. */
void host_await_inputs(pawl_stamp *stamp);
/* Wakes pawl after a call. Only then does pawl draw the next inputs. */
void host_tell_end(pawl_stamp *stamp);

/* Waits before a call on this set until pawl has frozen all other threads of the kernel. Without
   `hold`, pawl freezes none, but the wait takes as long. */
void host_await_freeze(pawl_stamp *stamp, int set, bool hold);
/* Tells pawl that the call has ended, and whether the shared memory shows its inputs and outputs.
   Returns true if pawl had to resume the threads earlier. The call then does not count. */
bool host_end_hold(pawl_stamp *stamp, bool shown);
