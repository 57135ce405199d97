/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the request `run` with `metrics`: see docs/protocol.md. */
#pragma once

#include "base/json.h"
#include "host/kernel.h"

/* Calls the kernel on the set as often as the metrics need. If they cannot be counted, *result
   gives the reason and the request succeeds. `cold` flushes the caches before each call. */
pawl_status host_count_call(struct host_kernel *host, struct host_set *set, const json_t *metrics,
                            bool cold, json_t **result, struct pawl_error *err);
