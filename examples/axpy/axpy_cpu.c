/* SPDX-License-Identifier: Apache-2.0 */
/* y = 2 x + y on the CPU: any dtype, one thread. */
#include <pawl/convert.h>
#include <pawl/kernel.h>

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *launch) {
  const struct pawl_tensor *x = &launch->tensors[0], *y = &launch->tensors[1];
  for (int64_t i = 0; i < x->size[0]; i++)
    pawl_store_f64(y->data, y->dtype, i,
                   2.0 * pawl_load_f64(x->data, x->dtype, i) + pawl_load_f64(y->data, y->dtype, i));
  return 0;
}

static const struct pawl_kernel kernel = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "axpy_cpu",
    .operator_name = "axpy",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
