/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel for tests: y = 2 x, whose process computes for a while before it is there, and again
 * before it is ready. */
#include <pawl/kernel.h>
#include <time.h>

#define BUSY_NS 200000000 /* CPU time */

static void be_busy(void) {
  struct timespec used;
  int64_t begin = -1, now = 0;
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    now = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    if (begin < 0) begin = now;
  } while (now - begin < BUSY_NS);
}

__attribute__((constructor)) static void start(void) { be_busy(); }

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  be_busy();
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = 2 * x[i];
  return 0;
}

const struct pawl_kernel *pawl_kernel_entry(void) {
  static const struct pawl_kernel kernel = {.abi_version = PAWL_ABI_VERSION,
                                            .struct_size = sizeof kernel,
                                            .name = "slow_start",
                                            .operator_name = "scale",
                                            .device = PAWL_CPU,
                                            .supports = supports,
                                            .launch = launch};
  return &kernel;
}
