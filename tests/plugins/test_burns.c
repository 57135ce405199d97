/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: y = 2 x, after as many seconds of its CPU as the first element of x says. */
#include <pawl/kernel.h>
#include <time.h>

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static double seconds_used(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static int launch(const struct pawl_launch *call) {
  const double begin = seconds_used();
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  while (seconds_used() - begin < (double)x[0]) continue;
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
  return 0;
}

const struct pawl_kernel *pawl_kernel_entry(void) {
  static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                            .struct_size = sizeof kernel,
                                            .name = "burns",
                                            .operator_name = "scale",
                                            .device = PAWL_CPU,
                                            .supports = supports,
                                            .launch = launch};
  return &kernel;
}
