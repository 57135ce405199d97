/* SPDX-License-Identifier: Apache-2.0 */
/* The measure section of a suite. */
#pragma once

#include <stdint.h>

#include "base/strings.h"
#include "process/cpus.h"

enum pawl_cache_mode { PAWL_CACHE_COLD = 1, PAWL_CACHE_WARM };
enum pawl_clock_mode {
  /* LOCK holds a GPU's clock at its base value. */
  PAWL_CLOCKS_FREE = 1,
  PAWL_CLOCKS_LOCK
};

/* Where the threads of a CPU kernel run: each on a CPU of its own without other threads, or where
 * the system's scheduler puts them. */
enum pawl_placement { PAWL_PLACEMENT_APART = 1, PAWL_PLACEMENT_SCHEDULER };

/* Whether workers run in a sandbox: as far as the machine allows; fully, or pawl fails; never. */
enum pawl_isolate { PAWL_ISOLATE_AVAILABLE = 1, PAWL_ISOLATE_REQUIRED, PAWL_ISOLATE_OFF };

struct pawl_measure_spec {
  int warmup, samples, processes; /* by default 20, 100, 6 */
  enum pawl_cache_mode cache;
  enum pawl_clock_mode clocks;
  double timeout_seconds; /* for one request; by default 60 */
  /* bytes that a worker may use besides its tensors; 0: three quarters of the machine */
  uint64_t memory_limit;
  struct pawl_cpus cpus; /* for kernels; count 0: those that pawl may run on */
  int threads;           /* for a CPU kernel; 0: the number of its CPUs */
  enum pawl_placement placement;
  int connections; /* CUDA_DEVICE_MAX_CONNECTIONS of a GPU kernel's context, 1 to 32 */
  enum pawl_isolate isolation;
  struct pawl_strings files; /* that workers see beside the repository; "~/" is the user's home */
};
