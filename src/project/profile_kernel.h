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

/* Adds samples of the program counter to the profiles of both versions of a GPU kernel, or the
 * reason why there are none. A CPU kernel has its samples since its profile. */
void pawl_profile_sample(struct pawl_project *project, struct pawl_profiled_version base,
                         struct pawl_profiled_version candidate, const char *case_name);
