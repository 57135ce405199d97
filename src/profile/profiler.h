/* SPDX-License-Identifier: Apache-2.0 */
/* A profiler takes the profile of a call. profile/profilers.inc lists all profilers. */
#pragma once

#include "device/device.h"
#include "profile/profile.h"
#include "profile/profiled_call.h"

/* Strings live in the arena. The profiler writes files to call->path plus its own endings. Fails
   with PAWL_UNAVAILABLE if the profiler is absent, too old or does not work here, with
   PAWL_NOT_PERMITTED if this user may not read the counters, with PAWL_FAILED if the kernel fails
   or has no range for the profiler, and with PAWL_UNDECIDED if the kernel does not support this
   case. Each message says what to do. */
typedef enum pawl_status_code pawl_profiler(const struct pawl_profiled_call *call,
                                            struct pawl_arena *arena, struct pawl_profile *out,
                                            struct pawl_error *err);

#define PROFILER(DEVICE, FUNCTION) pawl_profiler FUNCTION;
#include "profile/profilers.inc"
#undef PROFILER

#define PAWL_SAMPLED_ROWS 8

/* Begins to sample the program counter with Nsight Compute, whose start takes longest, in a call of
   both versions of a kernel, and of others that follow. `together`: one process makes all calls,
   and starts beside their profiles; otherwise nothing begins before the end. The tensors must live
   until the end. Fails as a profiler does. */
struct pawl_ncu_sampling;
pawl_status pawl_ncu_sample_begin(const struct pawl_profiled_call calls[2], bool together,
                                  struct pawl_arena *arena, struct pawl_ncu_sampling **out,
                                  struct pawl_error *err);
/* Adds calls of another kernel, up to PAWL_SAMPLED_ROWS in all, on tensors of the same operator. */
void pawl_ncu_sample_add(struct pawl_ncu_sampling *sampling,
                         const struct pawl_profiled_call calls[2]);
/* Lets the calls begin. None may follow. */
void pawl_ncu_sample_go(struct pawl_ncu_sampling *sampling);
/* Waits for the samples of all calls, which live in the arena, and frees `sampling`. `launches` has
   the kernels that each call launches, by its profile; NULL: a version has no profile, so nobody
   wants samples, and there are none. Versions that fail in one process, or launch another number of
   kernels there, get one each. */
pawl_status pawl_ncu_sample_end(struct pawl_ncu_sampling *sampling, const size_t *launches,
                                struct pawl_arena *arena, struct pawl_code_samples *out,
                                struct pawl_error *err);

/* Profiles the call with the first profiler of the device (enum pawl_device_kind) that works here.
   A full profile is Nsight Compute's alone.
   If none does, the message says why for each. The status is PAWL_NOT_PERMITTED if the driver
   refuses counters to this user; the message then says what to do. */
pawl_status pawl_profile_call(int32_t device, const struct pawl_profiled_call *call,
                              struct pawl_arena *arena, struct pawl_profile *out,
                              struct pawl_error *err);
