/* SPDX-License-Identifier: Apache-2.0 */
/* Time that a stream spends: one thread that spins on the SM's cycle counter. It is the same launch
   whatever its length, so that two arms that differ in it differ in nothing else. */
#pragma once

#include "device/cuda/cuda_driver.h"

struct host_cuda_spin {
  const struct pawl_cuda_driver *driver; /* NULL: not loaded */
  pawl_cu_module module;
  pawl_cu_function function;
  double cycles_per_ns; /* at the highest clock: on a slower one the time grows as a kernel's own
                           does */
};

/* Loads the code unless it is loaded, and runs it once: loading inside a capture is not possible.
 */
pawl_status host_cuda_spin_load(struct host_cuda_spin *spin, const struct pawl_cuda_driver *driver,
                                pawl_cu_device device, pawl_cu_stream stream,
                                struct pawl_error *err);
/* Enqueues `ns` of spinning, at least one cycle. */
pawl_cu_result host_cuda_spin_enqueue(const struct host_cuda_spin *spin, int64_t ns,
                                      pawl_cu_stream stream);
void host_cuda_spin_release(struct host_cuda_spin *spin);
