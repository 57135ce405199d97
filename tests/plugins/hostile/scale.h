/* SPDX-License-Identifier: Apache-2.0 */
/* What the hostile kernels share: a right y = 2 x for f32, and the descriptor. A file says what is wrong with it in
   `misbehave`, called at the end of every launch (or defines its own entry). */
#ifndef PAWL_TESTS_HOSTILE_SCALE_H
#define PAWL_TESTS_HOSTILE_SCALE_H

#include <pawl/kernel.h>
#include <stdlib.h>

static inline const char *any_shape(const struct pawl_shape *shape) {
  return pawl_shape_get(shape, "n") == 7 ? "n must not be 7" : NULL;
}

static inline void scale(const struct pawl_launch *launch) {
  const float *x = launch->tensors[0].data;
  float *y = launch->tensors[1].data;
  for (int64_t i = 0; i < launch->tensors[0].size[0]; i++) y[i] = 2 * x[i];
}

#define HOSTILE_KERNEL(kernel_name, launch_function, workspace_function) \
  const struct pawl_kernel *pawl_kernel_entry(void) {                    \
    static const struct pawl_kernel kernel = {                           \
        .abi_version = PAWL_ABI_VERSION,                                 \
        .struct_size = sizeof kernel,                                    \
        .name = kernel_name,                                             \
        .operator_name = "scale",                                        \
        .device = PAWL_CPU,                                              \
        .flags = PAWL_KERNEL_DETERMINISTIC,                              \
        .supports = any_shape,                                           \
        .launch = launch_function,                                       \
        .workspace_bytes = workspace_function,                           \
    };                                                                   \
    return &kernel;                                                      \
  }

#endif
