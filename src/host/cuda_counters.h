/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the work of a call's kernels on a CUDA GPU, with CUPTI's range profiler in this process.
 */
#pragma once

#include "base/json.h"
#include "device/cuda/cuda_driver.h"
#include "host/host_device.h"

/* Makes the call of `counted` once for each pass that the metrics take, and sets *out (a new
   reference) to what docs/protocol.md says of "counters". `metrics`: lists of names; of each list
   the first name that the chip knows is counted. PAWL_UNAVAILABLE: there is no CUPTI that works
   here; PAWL_NOT_PERMITTED: the driver gives this user no counters; any other failure is of the
   call. */
pawl_status host_cuda_count(const struct pawl_cuda_driver *driver, pawl_cu_device device,
                            pawl_cu_context context, const json_t *metrics,
                            const struct host_counted *counted, json_t **out,
                            struct pawl_error *err);
