/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs that the driver shows, found by a child process. Opening the driver takes 0.2 s on an
   H200, which pass beside other work. And pawl itself stays without the driver: a process that has
   it copies more at each fork, and ends later. The child keeps the driver open until the search is
   released, so that a GPU without persistence mode stays awake; without a GPU it ends at once. */
#ifndef PAWL_DEVICE_CUDA_CUDA_SEARCH_H
#define PAWL_DEVICE_CUDA_CUDA_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "device/cuda/cuda_driver.h"
#include "device/device.h"

#define PAWL_MOST_GPUS 64

/* As the driver says it; -1: it does not tell. */
struct pawl_cuda_gpu {
  bool known, has_pci, has_uuid;
  char name[256], pci[64];
  size_t bytes;
  struct pawl_cu_uuid uuid;
  int units, cache_bytes, ecc, bus_bits, khz, memory_khz, major, minor;
};
struct pawl_cuda_findings {
  int count;
  char reason[PAWL_ERROR_MESSAGE]; /* why there is none */
  struct pawl_cuda_gpu gpus[PAWL_MOST_GPUS];
};

/* Starts the child; one that cannot start is found out by the answer. */
void pawl_cuda_search_begin(struct pawl_device_search *out);
/* Waits for what the child found; without an answer, count is 0 and the reason says why. */
void pawl_cuda_search_answer(struct pawl_device_search *search, struct pawl_cuda_findings *out);
/* The child may end: nothing needs a GPU that is awake any more. Only the release may follow. */
void pawl_cuda_search_dismiss(struct pawl_device_search *search);
/* Waits for its end. */
void pawl_cuda_search_release(struct pawl_device_search *search);

#endif
