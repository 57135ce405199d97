/* SPDX-License-Identifier: Apache-2.0 */
/* How a suite wants kernels measured. */
#pragma once

#include <stdint.h>

#include "base/strings.h"
#include "process/cpus.h"

enum pawl_cache_mode { PAWL_CACHE_COLD = 1, PAWL_CACHE_WARM };
enum pawl_clock_mode {
  PAWL_CLOCKS_FREE = 1,
  PAWL_CLOCKS_LOCK
}; /* lock: hold a GPU's clock at its base value */

/* Where the threads of a CPU kernel run: each on a CPU of its own while nothing else runs, or where
   the system's scheduler puts them. */
enum pawl_placement { PAWL_PLACEMENT_APART = 1, PAWL_PLACEMENT_SCHEDULER };

/* Whether workers run in a sandbox: as far as the machine allows; wholly, or not at all; not even
 * where it could. */
enum pawl_isolate { PAWL_ISOLATE_AVAILABLE = 1, PAWL_ISOLATE_REQUIRED, PAWL_ISOLATE_OFF };

struct pawl_measure_spec {
  int warmup, samples, processes; /* 20, 100, 6 */
  enum pawl_cache_mode cache;
  enum pawl_clock_mode clocks;
  double timeout_seconds; /* limit of one request; 60 */
  uint64_t memory_limit;  /* bytes a worker may use on top of its tensors; 0: three quarters of the
                             machine */
  struct pawl_cpus cpus;  /* that kernels run on; count 0: those that pawl may run on */
  int threads;            /* threads of a CPU kernel; 0: as many as it has CPUs */
  enum pawl_placement placement;
  int connections; /* CUDA_DEVICE_MAX_CONNECTIONS of a GPU kernel's context, 1 to 32 */
  enum pawl_isolate isolation;
  struct pawl_strings files; /* that workers see beside the repository; "~/" is the user's home */
};
