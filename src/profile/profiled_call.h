/* SPDX-License-Identifier: Apache-2.0 */
/* A call to profile. */
#pragma once

#include <stdbool.h>

#include "build/instructions.h"
#include "model/case.h"
#include "oracle/oracle.h"
#include "worker/worker_options.h"

struct pawl_profiled_call {
  /* how to start the kernel; the profiler fills in the tensors */
  const struct pawl_worker_options *worker;
  struct pawl_listings *listings; /* they may have the kernel's machine code; NULL: none */
  struct pawl_oracle *oracle;
  const struct pawl_case *config; /* resolved */
  int threads;
  uint64_t seed;
  bool full; /* Nsight Compute with all its sections, and nothing else */
  bool warm; /* the caches stay as the last call left them; false: empty caches */
  /* the limit for the start, for each call and for the export */
  double timeout_seconds;
  /* the files are PATH.csv, and those of Nsight Compute: PATH.ncu-rep and PATH.log */
  const char *path;
};
