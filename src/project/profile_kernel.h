/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a ready kernel under the profiler. */
#pragma once

#include "profile/profile.h"
#include "project/kernels.h"

/* Profiles one call on the named case, with all sections of Nsight Compute if `full`. Files go to
 * FOLDER/KERNEL-CASE.*. Fails with PAWL_UNAVAILABLE for a command, and as profile/profiler.h
 * says. */
pawl_status pawl_profile_ready_kernel(struct pawl_project *project,
                                      const struct pawl_ready_kernel *kernel, const char *case_name,
                                      const char *folder, bool full, struct pawl_profile *out,
                                      struct pawl_error *err);

/* A profiled kernel, and the folder of its files. */
struct pawl_profiled_version {
  const struct pawl_ready_kernel *kernel;
  const char *folder;
  struct pawl_profile *profile;
};

/* The samples of two versions that are on their way. */
struct pawl_profile_sampling {
  struct pawl_arena *arena;
  struct pawl_profile *profiles[2];
  const char *reason;                /* why there are none; NULL: no known reason */
  struct pawl_ncu_sampling *running; /* NULL: none */
};

/* Begins to sample the program counter of both versions of a GPU kernel, beside their profiles. A
 * CPU kernel has its samples since its profile. */
void pawl_profile_sample_begin(struct pawl_project *project,
                               const struct pawl_profiled_version *base,
                               const struct pawl_profiled_version *candidate, const char *case_name,
                               struct pawl_profile_sampling *out);
/* Waits for the samples and adds them to the profiles, or the reason why there are none. */
void pawl_profile_sample_end(struct pawl_profile_sampling *sampling);
