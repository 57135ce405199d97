/* SPDX-License-Identifier: Apache-2.0 */
/* Runs ready kernels under the profiler. */
#pragma once

#include "profile/profile.h"
#include "profile/profiled_call.h"
#include "profile/profiler.h"
#include "project/kernels.h"

/* A version of a kernel to profile, and the folder of its files. */
struct pawl_profiled_version {
  const struct pawl_ready_kernel *kernel;
  const char *name, *folder; /* "base" or "candidate", for the log */
  struct pawl_profile *profile;
  enum pawl_status_code status; /* the result, and why it failed */
  struct pawl_error why;
  struct pawl_profiled_seconds seconds, sample_seconds;
};

/* The profiles of one or two versions of a kernel, and of those of others. */
struct pawl_profiling {
  struct pawl_project *project;
  /* counts the calls of GPU kernels; its tensors are those of an operator */
  struct pawl_profiled_process process;
  const struct pawl_oracle *oracle;
  struct pawl_profiled_row *rows[PAWL_SAMPLED_ROWS]; /* that wait for their samples */
  size_t count;
  struct pawl_ncu_sampling *running; /* NULL: none */
  bool together;                     /* one process makes its calls */
};

void pawl_profiling_init(struct pawl_profiling *profiling, struct pawl_project *project);
void pawl_profiling_release(struct pawl_profiling *profiling);

/* Profiles one call of each version on the named case, with all sections of Nsight Compute if
 * `full`. Files go to FOLDER/KERNEL-CASE.*. One process counts the calls of two versions of a CUDA
 * kernel if it can; if `sampled`, ncu will also sample the program counter of both. A CPU kernel
 * has its samples since its profile. A version fails with PAWL_UNAVAILABLE for a command, and as
 * profile/profiler.h says. Until the end the versions must live, and nobody else may keep drawn
 * inputs. The profiles of more kernels may follow.
 */
void pawl_profile_begin(struct pawl_profiling *profiling, struct pawl_profiled_version *versions,
                        int count, const char *case_name, bool full, bool sampled);
/* Lets ncu begin, where all kernels have their profiles. */
void pawl_profile_sample(struct pawl_profiling *profiling);
/* Waits for the samples and adds them to the profiles, or the reason why there are none. */
void pawl_profile_end(struct pawl_profiling *profiling);
