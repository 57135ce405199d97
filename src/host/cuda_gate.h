/* SPDX-License-Identifier: Apache-2.0 */
/* A gate in a stream: what is enqueued behind it waits until the host opens it, so that the device has all of the work
   before it starts on any. A launch that waits for the device while the gate is shut would wait for ever; a watchman
   opens the gate then. */
#ifndef PAWL_HOST_CUDA_GATE_H
#define PAWL_HOST_CUDA_GATE_H

#include <pthread.h>
#include <stdbool.h>

#include "device/cuda/driver.h"

struct host_cuda_gate {
  const struct pawl_cuda_driver *driver; /* NULL: not made */
  volatile uint32_t *flag;               /* host memory that the device sees; it waits for `turn` */
  pawl_cu_pointer flag_on_device;
  uint32_t turn;
  pthread_t watchman;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool shut, ending, forced; /* forced: the watchman had to open it */
};

pawl_status host_cuda_gate_init(struct host_cuda_gate *gate, const struct pawl_cuda_driver *driver,
                                struct pawl_error *err);
void host_cuda_gate_release(struct host_cuda_gate *gate);
/* Puts the gate into the stream, shut. */
pawl_status host_cuda_gate_shut(struct host_cuda_gate *gate, pawl_cu_stream stream, struct pawl_error *err);
/* Opens it; true when the watchman had not had to. */
bool host_cuda_gate_open(struct host_cuda_gate *gate);

#endif
