/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of kernels that CUPTI calls back for: the name, the shape and the resources of each.
 */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "base/memory.h"
#include "device/cuda/cupti.h"

#define HOST_CUDA_LAUNCHES 256 /* at most, of one call */

struct host_cuda_launch {
  const char *name; /* mangled; in the arena */
  pawl_cu_function function;
  struct pawl_cupti_geometry geometry;
};

struct host_cuda_launches {
  const struct pawl_cupti *cupti;
  pawl_cupti_subscriber subscriber; /* NULL: none */
  bool listening;
  struct pawl_arena arena;
  struct host_cuda_launch list[HOST_CUDA_LAUNCHES];
  size_t count; /* also of those that the list has no room for */
};

/* `launches` does not move afterwards. Listens only where `listening` is set. */
pawl_status host_cuda_launches_open(struct host_cuda_launches *launches,
                                    const struct pawl_cupti *cupti, struct pawl_error *err);
void host_cuda_launches_close(struct host_cuda_launches *launches);

/* Sets the values of a launch in `values`, by Nsight Compute's names; what the driver does not say
 * is left out. */
void host_cuda_launch_describe(const struct host_cuda_launch *launch,
                               const struct pawl_cuda_driver *driver, pawl_cu_device device,
                               json_t *values);
