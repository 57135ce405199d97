/* SPDX-License-Identifier: Apache-2.0 */
/* A spin: one thread waits on the SM's cycle counter, so the stream spends time. Spins of all
   lengths are the same launch. Two arms that differ in the length of a spin differ in nothing
   else. */
#pragma once

#include "device/cuda/cuda_driver.h"

struct host_cuda_spin {
  const struct pawl_cuda_driver *driver; /* NULL: not loaded */
  pawl_cu_module module;
  pawl_cu_function function;
  /* at the highest clock; on a slower clock a spin takes longer, like a kernel */
  double cycles_per_ns;
};

/* Loads the code, unless it is loaded, and runs it once, because nothing can be loaded while a
   graph is captured. */
pawl_status host_cuda_spin_load(struct host_cuda_spin *spin, const struct pawl_cuda_driver *driver,
                                pawl_cu_device device, pawl_cu_stream stream,
                                struct pawl_error *err);
/* Enqueues a spin of `ns` nanoseconds, at least one cycle. */
pawl_cu_result host_cuda_spin_enqueue(const struct host_cuda_spin *spin, int64_t ns,
                                      pawl_cu_stream stream);
void host_cuda_spin_release(struct host_cuda_spin *spin);
