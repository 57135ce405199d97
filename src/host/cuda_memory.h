/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory with guard bands around every piece. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/cuda/cuda_driver.h"

struct host_cuda_block {
  pawl_cu_pointer data; /* between its bands */
  size_t bytes;
};

struct host_cuda_memory {
  const struct pawl_cuda_driver *driver;
  struct host_cuda_block *blocks;
  size_t count, capacity;
  bool bare; /* without bands: a memory checker sees what lies outside a tensor */
  size_t free_at_start;
  /* Bytes of pawl's blocks since then, as the driver counts them. */
  int64_t ours;
  int64_t of_others; /* as it was looked at last */
};

/* From here on memory is counted, beyond what was counted before: what other processes took in
   between is not the kernel's. */
void host_cuda_memory_resume(struct host_cuda_memory *memory);
/* Bytes of the device that have been taken while it was counted, our own blocks left out: by the
   kernel, by its code and the driver's for it, and by whoever else uses the GPU then. -1: unknown.
 */
int64_t host_cuda_memory_of_others(struct host_cuda_memory *memory);

pawl_status host_cuda_allocate(struct host_cuda_memory *memory, size_t bytes, pawl_cu_pointer *out,
                               struct pawl_error *err);
void host_cuda_free(struct host_cuda_memory *memory, pawl_cu_pointer data);
void host_cuda_memory_release(struct host_cuda_memory *memory);
/* Pins memory of the host, so that copies are a few times faster; false: the driver will not. */
bool host_cuda_pin(struct host_cuda_memory *memory, void *data, size_t bytes);
void host_cuda_unpin(struct host_cuda_memory *memory, void *data);
/* PAWL_FAILED when the bands of the block that starts at `data` have changed; others are not looked
 * at. */
pawl_status host_cuda_check_bands(struct host_cuda_memory *memory, pawl_cu_pointer data,
                                  struct pawl_error *err);
