/* SPDX-License-Identifier: Apache-2.0 */
/* A wait that a stream carries behind each timed call, for `pawl selftest`: one thread that spins on the SM's cycle
   counter. It is the same launch whatever its length, so that two arms that differ in it differ in nothing else. */
#ifndef PAWL_HOST_CUDA_DELAY_H
#define PAWL_HOST_CUDA_DELAY_H

#include "device/cuda/driver.h"

struct host_cuda_delay {
  const struct pawl_cuda_driver *driver; /* NULL: not made */
  pawl_cu_module module;
  pawl_cu_function function;
  double cycles_per_ns; /* at the highest clock: on a slower one the wait grows as the kernel's own time does */
  uint64_t cycles;      /* 0: no wait is enqueued */
};

/* From now on host_cuda_delay_enqueue() enqueues a wait of `ns`; 0: nothing. Loads the wait's code when it is first
   needed and runs it once, since loading inside a capture or behind a shut gate is not possible. */
pawl_status host_cuda_delay_set(struct host_cuda_delay *delay, const struct pawl_cuda_driver *driver,
                                pawl_cu_device device, pawl_cu_stream stream, int64_t ns, struct pawl_error *err);
/* Success and no work when no wait is set. */
pawl_cu_result host_cuda_delay_enqueue(struct host_cuda_delay *delay, pawl_cu_stream stream);
void host_cuda_delay_release(struct host_cuda_delay *delay);

#endif
