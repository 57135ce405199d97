/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the program counters of a call's kernels on a CUDA GPU with CUPTI, in this process. */
#pragma once

#include "base/json.h"
#include "device/cuda/cuda_driver.h"
#include "host/host_device.h"

/* Makes the call of `counted` until there are enough samples. Sets *out to a new reference to the
   "counters" of docs/protocol.md, with the samples alone. Fails with PAWL_UNAVAILABLE if no usable
   CUPTI is here, and with PAWL_NOT_PERMITTED if the driver refuses counters to this user. Any other
   failure is a failure of the call. */
pawl_status host_cuda_sample(const struct pawl_cuda_driver *driver, pawl_cu_device device,
                             pawl_cu_context context, const struct host_counted *counted,
                             json_t **out, struct pawl_error *err);
