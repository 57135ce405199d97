/* SPDX-License-Identifier: Apache-2.0 */
/* Row softmax, plain: three passes over each row, one thread, any dtype. */
#include <math.h>
#include <pawl/convert.h>
#include <pawl/kernel.h>

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *launch) {
  const struct pawl_tensor *x = &launch->tensors[0], *y = &launch->tensors[1];
  const int64_t rows = x->size[0], cols = x->size[1];
  for (int64_t i = 0; i < rows; i++) {
    const int64_t first = i * cols;
    double largest = -INFINITY, sum = 0.0;
    for (int64_t j = 0; j < cols; j++)
      largest = fmax(largest, pawl_load_f64(x->data, x->dtype, first + j));
    for (int64_t j = 0; j < cols; j++)
      sum += exp(pawl_load_f64(x->data, x->dtype, first + j) - largest);
    for (int64_t j = 0; j < cols; j++) {
      const double value = exp(pawl_load_f64(x->data, x->dtype, first + j) - largest) / sum;
      pawl_store_f64(y->data, y->dtype, first + j, value);
    }
  }
  return 0;
}

static const struct pawl_kernel kernel = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_kernel),
    .name = "softmax_cpu",
    .operator_name = "softmax",
    .device = PAWL_CPU,
    .flags = PAWL_KERNEL_DETERMINISTIC,
    .supports = supports,
    .launch = launch,
};

const struct pawl_kernel *pawl_kernel_entry(void) { return &kernel; }
