/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates device memory with a guard band on each side of every block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/cuda/cuda_driver.h"

struct host_cuda_block {
  pawl_cu_pointer data; /* the memory between the bands */
  size_t bytes;
  size_t room; /* the bytes that the driver gave, bands included */
};

struct host_cuda_memory {
  const struct pawl_cuda_driver *driver;
  struct host_cuda_block *blocks;
  size_t count, capacity;
  /* Freed blocks, which serve the tensors of the next case. At most 1 GiB: a kernel may need the
     rest of the device. */
  struct host_cuda_block *spare;
  size_t spare_count, spare_capacity, spare_bytes;
  /* blocks have no bands and serve once, because a memory checker watches the accesses */
  bool bare;
  /* the free bytes at the last resume plus the bytes of others until then; 0: unknown */
  size_t free_at_start;
  /* bytes that pawl itself has taken since the last resume, by the driver's count */
  int64_t ours;
  int64_t of_others; /* the last result of host_cuda_memory_of_others */
};

/* Continues to count memory. Memory that other processes took while the count was paused is not
   included. */
void host_cuda_memory_resume(struct host_cuda_memory *memory);
/* Returns the bytes of device memory taken while pawl counted, without pawl's own blocks. The
   kernel takes them, its code, the driver for it, and other users of the GPU. Returns -1 if they
   are unknown. */
int64_t host_cuda_memory_of_others(struct host_cuda_memory *memory);

/* Returns the device's free bytes, or 0 if the driver does not tell them. It needs 80 us. */
size_t host_cuda_memory_left(const struct host_cuda_memory *memory);
/* Counts what pawl has taken since `left` bytes were free as its own. Blocks from before the last
   resume need no count. */
void host_cuda_memory_count(struct host_cuda_memory *memory, size_t left);

/* Takes the smallest spare block with enough room. Where there is none, the driver allocates one,
   and the spare blocks, which are too small, go. */
pawl_status host_cuda_allocate(struct host_cuda_memory *memory, size_t bytes, pawl_cu_pointer *out,
                               struct pawl_error *err);
void host_cuda_free(struct host_cuda_memory *memory, pawl_cu_pointer data);
void host_cuda_memory_release(struct host_cuda_memory *memory);
/* Fails with PAWL_FAILED if a band of the block at `data` has changed. Checks no other block. */
pawl_status host_cuda_check_bands(struct host_cuda_memory *memory, pawl_cu_pointer data,
                                  struct pawl_error *err);
