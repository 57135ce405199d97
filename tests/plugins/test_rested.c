/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: y = 2 x, where the first calls after a rest take long, as on a CPU that wakes
 * up. */
#include <pawl/kernel.h>
#include <time.h>

#define REST_NS 2000000
#define SLOW_CALLS 4
#define SLOW_NS 100000

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int launch(const struct pawl_launch *call) {
  static int64_t last, slow;
  const int64_t begin = now(), n = call->tensors[0].size[0];
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  if (begin - last > REST_NS) slow = SLOW_CALLS;
  while (slow && now() - begin < SLOW_NS) continue;
  if (slow) slow--;
  for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
  last = now();
  return 0;
}

const struct pawl_kernel *pawl_kernel_entry(void) {
  static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                            .struct_size = sizeof kernel,
                                            .name = "rested",
                                            .operator_name = "scale",
                                            .device = PAWL_CPU,
                                            .supports = supports,
                                            .launch = launch};
  return &kernel;
}
