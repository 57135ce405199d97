/* SPDX-License-Identifier: Apache-2.0 */
/* Records the kernel launches of a call through callbacks of CUPTI: name, shape and resources. */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "base/memory.h"
#include "device/cuda/cupti.h"

#define HOST_CUDA_LAUNCHES 256 /* most launches that the list keeps */

struct host_cuda_launch {
  const char *name; /* the mangled name, in the arena */
  pawl_cu_function function;
  struct pawl_cupti_geometry geometry;
};

struct host_cuda_launches {
  const struct pawl_cupti *cupti;
  pawl_cupti_subscriber subscriber; /* NULL: not subscribed */
  bool listening;
  struct pawl_arena arena;
  struct host_cuda_launch list[HOST_CUDA_LAUNCHES];
  size_t count; /* all launches, also those beyond the list */
};

/* Subscribes to launches. `launches` must not move until the close. It records a launch only while
   `listening` is set. */
pawl_status host_cuda_launches_open(struct host_cuda_launches *launches,
                                    const struct pawl_cupti *cupti, struct pawl_error *err);
void host_cuda_launches_close(struct host_cuda_launches *launches);

/* Adds the values of a launch to `values` under Nsight Compute's names, without those that the
   driver does not tell. */
void host_cuda_launch_describe(const struct host_cuda_launch *launch,
                               const struct pawl_cuda_driver *driver, pawl_cu_device device,
                               json_t *values);
