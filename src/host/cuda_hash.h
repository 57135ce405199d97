/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of device memory, computed where it lies (base/sum_hash.h): a timed call's outputs need
   not cross the bus to be identified. */
#pragma once

#include "base/sum_hash.h"
#include "device/cuda/cuda_driver.h"

struct host_cuda_hash {
  const struct pawl_cuda_driver *driver;
  pawl_cu_module module;
  pawl_cu_function
      function;         /* NULL: no code for this device; the host sums then, to the same result */
  pawl_cu_pointer sums; /* two words of the device's memory */
  void *staging;        /* pinned; of the host's way */
  size_t staging_bytes;
};

/* PAWL_FAILED: no memory. A driver that cannot compile the code is no error. */
pawl_status host_cuda_hash_init(struct host_cuda_hash *hash, const struct pawl_cuda_driver *driver,
                                struct pawl_error *err);
void host_cuda_hash_release(struct host_cuda_hash *hash);

/* Adds `bytes` bytes at `data` as one piece, when all that was enqueued is done. `data` is aligned
 * to 8. */
pawl_status host_cuda_hash_add(struct host_cuda_hash *hash, pawl_cu_stream stream,
                               pawl_cu_pointer data, size_t bytes, struct pawl_sum_hasher *hasher,
                               struct pawl_error *err);
