/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the driver's GPUs in a child process. Opening the driver takes 0.2 s on an H200, while pawl
 * does other work. pawl itself stays without the driver, which would make each fork and the end
 * slower. The child keeps the driver open until the release, so a GPU without persistence mode
 * stays awake. Without a GPU it ends at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "device/cuda/cuda_driver.h"
#include "device/device.h"

#define PAWL_MOST_GPUS 64

/* A GPU as the driver describes it; -1: unknown. */
struct pawl_cuda_gpu {
  bool known, has_pci, has_uuid;
  char name[256], pci[64];
  size_t bytes;
  struct pawl_cu_uuid uuid;
  int units, cache_bytes, ecc, bus_bits, khz, memory_khz, major, minor;
};
struct pawl_cuda_findings {
  int count;
  char reason[PAWL_ERROR_MESSAGE]; /* why there is no GPU */
  struct pawl_cuda_gpu gpus[PAWL_MOST_GPUS];
};

/* Starts the child. If that fails, the answer says so. */
void pawl_cuda_search_begin(struct pawl_device_search *out);
/* Waits for the child's answer. Without an answer, count is 0 and the reason says why. */
void pawl_cuda_search_answer(struct pawl_device_search *search, struct pawl_cuda_findings *out);
/* Lets the child end, if pawl needs no awake GPU any more. Only the release may follow. */
void pawl_cuda_search_dismiss(struct pawl_device_search *search);
/* Waits for the child's end. */
void pawl_cuda_search_release(struct pawl_device_search *search);
