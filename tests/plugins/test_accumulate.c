/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: y += x, y being inout, by way of a workspace that must hold NaN when the call
 * begins. */
#include <pawl/kernel.h>

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static size_t workspace_bytes(const struct pawl_shape *shape) {
  return (size_t)pawl_shape_get(shape, "n") * sizeof(float);
}

static int launch(const struct pawl_launch *call) {
  const int64_t n = call->tensors[0].size[0];
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data, *scratch = call->workspace;
  if ((uintptr_t)call->workspace % 256 != 0 ||
      call->workspace_bytes != workspace_bytes(call->shape))
    return 1;
  for (int64_t i = 0; i < n; i++) {
    if (scratch[i] == scratch[i]) return 2;
    scratch[i] = x[i];
  }
  for (int64_t i = 0; i < n; i++) y[i] += scratch[i];
  return 0;
}

const struct pawl_kernel *pawl_kernel_entry(void) {
  static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                            .struct_size = sizeof kernel,
                                            .name = "accumulate",
                                            .operator_name = "scale",
                                            .device = PAWL_CPU,
                                            .supports = supports,
                                            .launch = launch,
                                            .workspace_bytes = workspace_bytes};
  return &kernel;
}
