/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes device memory on the device (base/sum_hash.h), so a timed call's outputs need not cross
   the bus. */
#pragma once

#include "base/sum_hash.h"
#include "device/cuda/cuda_driver.h"

struct host_cuda_hash {
  const struct pawl_cuda_driver *driver;
  pawl_cu_module module;
  /* NULL: the driver cannot compile the code, and the host computes the same hash */
  pawl_cu_function function;
  pawl_cu_pointer sums; /* two words in device memory */
  void *staging;        /* pinned host memory for hashing on the host; NULL: none yet */
  size_t staging_bytes;
};

/* Fails with PAWL_FAILED if the GPU has no memory left. A driver that cannot compile the code is no
   error. */
pawl_status host_cuda_hash_init(struct host_cuda_hash *hash, const struct pawl_cuda_driver *driver,
                                struct pawl_error *err);
void host_cuda_hash_release(struct host_cuda_hash *hash);

/* Adds the `bytes` bytes at `data` to the hash as one piece, after all enqueued work. `data` is
   aligned to 8 bytes. */
pawl_status host_cuda_hash_add(struct host_cuda_hash *hash, pawl_cu_stream stream,
                               pawl_cu_pointer data, size_t bytes, struct pawl_sum_hasher *hasher,
                               struct pawl_error *err);

/* Reads the bytes on the device after all enqueued work, and does not wait for it. Without code for
   the device, it copies them to the host. */
pawl_status host_cuda_hash_read(struct host_cuda_hash *hash, pawl_cu_stream stream,
                                pawl_cu_pointer data, size_t bytes, struct pawl_error *err);
