/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs on a GPU that change right before a call. A kernel of pawl draws some elements of each
   input by the GPU's own clocks and lets them change places. It runs behind the flush and right in
   front of the timed region, in the same stream. So no host code knows the places before, and work
   on other streams has no time to compute with them. */
#pragma once

#include "device/cuda/cuda_driver.h"
#include "host/host_device.h"

enum host_cuda_exchange_mode {
  HOST_CUDA_REWRITE,  /* writes the elements as they are, so that it costs what an exchange costs */
  HOST_CUDA_SWAP,     /* exchanges them */
  HOST_CUDA_TAKE_BACK /* exchanges the same ones again */
};

struct host_cuda_exchange {
  const struct pawl_cuda_driver *driver; /* NULL: no code for this device */
  pawl_cu_module module;
  pawl_cu_function function;
  /* The table of the inputs, and the elements of the last exchange. */
  pawl_cu_pointer table, places;
  unsigned count; /* inputs in the table */
  bool pending;   /* the next timed call has one in front */
  enum host_cuda_exchange_mode mode;
};

/* PAWL_FAILED: no memory. A driver that cannot compile the code is no error. */
pawl_status host_cuda_exchange_init(struct host_cuda_exchange *exchange,
                                    const struct pawl_cuda_driver *driver, struct pawl_error *err);
void host_cuda_exchange_release(struct host_cuda_exchange *exchange);

/* The next timed call has these inputs changed (HOST_CUDA_SWAP) or only rewritten. false: it
 * cannot. */
bool host_cuda_exchange_plan(struct host_cuda_exchange *exchange,
                             const struct host_elements *inputs, int count,
                             enum host_cuda_exchange_mode mode);
/* Puts what is planned into the stream; nothing where nothing is. */
pawl_cu_result host_cuda_exchange_enqueue(struct host_cuda_exchange *exchange,
                                          pawl_cu_stream stream);
/* Puts the last exchange's opposite into the stream. */
pawl_cu_result host_cuda_exchange_take_back(struct host_cuda_exchange *exchange,
                                            pawl_cu_stream stream);
