/* SPDX-License-Identifier: Apache-2.0 */
/* How a suite wants kernels measured. */
#ifndef PAWL_MODEL_MEASURE_SPEC_H
#define PAWL_MODEL_MEASURE_SPEC_H

#include <stdint.h>

enum pawl_cache_mode { PAWL_CACHE_COLD = 1, PAWL_CACHE_WARM };
enum pawl_clock_mode { PAWL_CLOCKS_FREE = 1, PAWL_CLOCKS_LOCK }; /* lock: hold a GPU's clock at its base value */

struct pawl_measure_spec {
  int warmup, samples, processes; /* 20, 100, 4 */
  enum pawl_cache_mode cache;
  enum pawl_clock_mode clocks;
  double timeout_seconds; /* of one request; 60 */
  uint64_t memory_limit;  /* bytes a worker may use on top of its tensors; 0: three quarters of the machine */
};

#endif
