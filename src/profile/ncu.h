/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a kernel under NVIDIA Nsight Compute (ncu). */
#ifndef PAWL_PROFILE_NCU_H
#define PAWL_PROFILE_NCU_H

#include "model/case.h"
#include "oracle/oracle.h"
#include "profile/profile.h"
#include "worker/worker_options.h"

struct pawl_ncu_options {
  const struct pawl_worker_options *worker; /* how to start the kernel; tensors are filled in here */
  struct pawl_oracle *oracle;
  const struct pawl_case *config; /* resolved */
  int threads;
  uint64_t seed;
  const char *path; /* of the files without their endings: PATH.ncu-rep, PATH.csv, PATH.log */
};

/* Calls the kernel once to warm up, and once under ncu with all its sections: cold caches, clocks as they are, only the
   kernels of that call. Keeps PATH.ncu-rep (for Nsight Compute's window) and PATH.csv (ncu's raw page). Strings live in
   the arena.
   PAWL_UNAVAILABLE: no ncu, one that is too old, or one that does not work here; PAWL_NOT_PERMITTED: the driver refuses
   the counters; PAWL_FAILED: the kernel fails, or has no range for the profiler; PAWL_UNDECIDED: it does not do this
   case. Each message says what to do. */
pawl_status pawl_ncu_profile(const struct pawl_ncu_options *options, struct pawl_arena *arena, struct pawl_profile *out,
                             struct pawl_error *err);

#endif
