/* SPDX-License-Identifier: Apache-2.0 */
/* Changes inputs on a GPU right before a call. A kernel of pawl draws some elements of each input,
   seeded by the GPU's clocks, and exchanges them. It runs in the same stream, after the flush and
   right before the timed region. So no host code knows their places in advance, and work on other
   streams has no time to compute with them. */
#pragma once

#include "device/cuda/cuda_driver.h"
#include "host/host_device.h"

enum host_cuda_exchange_mode {
  /* writes the same values back, at the cost of an exchange */
  HOST_CUDA_REWRITE,
  HOST_CUDA_SWAP,     /* exchanges the elements */
  HOST_CUDA_TAKE_BACK /* exchanges the same elements again */
};

struct host_cuda_exchange {
  const struct pawl_cuda_driver *driver; /* NULL: the driver cannot compile the code */
  pawl_cu_module module;
  pawl_cu_function function;
  /* the table of the inputs, and the places of the last exchanged elements */
  pawl_cu_pointer table, places;
  unsigned count; /* number of inputs in the table */
  bool pending;   /* an exchange precedes the next timed call */
  enum host_cuda_exchange_mode mode;
};

/* Fails with PAWL_FAILED if the GPU has no memory left. A driver that cannot compile the code is no
   error. */
pawl_status host_cuda_exchange_init(struct host_cuda_exchange *exchange,
                                    const struct pawl_cuda_driver *driver, struct pawl_error *err);
void host_cuda_exchange_release(struct host_cuda_exchange *exchange);

/* Plans an exchange (HOST_CUDA_SWAP) or a rewrite of these inputs before the next timed call.
   Returns false if the device cannot do it. */
bool host_cuda_exchange_plan(struct host_cuda_exchange *exchange,
                             const struct host_elements *inputs, int count,
                             enum host_cuda_exchange_mode mode);
/* Enqueues the planned exchange, or nothing if none is planned. */
pawl_cu_result host_cuda_exchange_enqueue(struct host_cuda_exchange *exchange,
                                          pawl_cu_stream stream);
/* Enqueues the reversal of the last exchange. */
pawl_cu_result host_cuda_exchange_take_back(struct host_cuda_exchange *exchange,
                                            pawl_cu_stream stream);
