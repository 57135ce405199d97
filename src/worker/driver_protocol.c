/* SPDX-License-Identifier: Apache-2.0 */
/* Any program that speaks docs/protocol.md itself. */
#include "worker/driver.h"

static pawl_status start(struct pawl_worker *worker, struct pawl_error *err) {
  return pawl_session_start(worker, pawl_worker_argv(worker), err);
}

const struct pawl_driver pawl_driver_protocol = {
    .id = PAWL_DRIVER_PROTOCOL, .start = start, .call = pawl_session_call, .stop = pawl_session_stop};
