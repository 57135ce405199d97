/* SPDX-License-Identifier: Apache-2.0 */
/* The hostile kernels share a right y = 2 x for f32, and the descriptor around `static int
   launch(...)`. */
#pragma once

#include <pawl/kernel.h>

static inline const char *all_but_seven(const struct pawl_shape *shape) {
  return pawl_shape_get(shape, "n") == 7 ? "n must not be 7" : NULL;
}

static inline int scale(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
  return 0;
}

/* Further fields of the descriptor may follow the name. */
#define HOSTILE_KERNEL(...)                           \
  const struct pawl_kernel *pawl_kernel_entry(void) { \
    static const struct pawl_kernel kernel = {        \
        .abi_version = PAWL_ABI_VERSION,              \
        .struct_size = sizeof kernel,                 \
        .operator_name = "scale",                     \
        .device = PAWL_CPU,                           \
        .flags = PAWL_KERNEL_DETERMINISTIC,           \
        .supports = all_but_seven,                    \
        .name = __VA_ARGS__,                          \
    };                                                \
    return &kernel;                                   \
  }
