/* SPDX-License-Identifier: Apache-2.0 */
/* A call that a profiler looks at. */
#pragma once

#include <stdbool.h>

#include "model/case.h"
#include "oracle/oracle.h"
#include "worker/worker_options.h"

struct pawl_profiled_call {
  const struct pawl_worker_options
      *worker; /* how to start the kernel; tensors are filled in here */
  struct pawl_oracle *oracle;
  const struct pawl_case *config; /* resolved */
  int threads;
  uint64_t seed;
  bool warm;              /* the caches as the call before left them; false: empty */
  double timeout_seconds; /* The start, each call and the export may each take this long. */
  const char *path;       /* The files are PATH.ncu-rep, PATH.csv and PATH.log. */
};
