/* SPDX-License-Identifier: Apache-2.0 */
/* A profiler takes the profile of a call; the rows of profile/profilers.inc are all there are. */
#pragma once

#include "device/device.h"
#include "profile/profile.h"
#include "profile/profiled_call.h"

/* Strings live in the arena; files go to call->path with endings of the profiler's own.
   PAWL_UNAVAILABLE: the profiler is not there, is too old or does not work here;
   PAWL_NOT_PERMITTED: this user may not have the counters; PAWL_FAILED: the kernel fails, or has no
   range for the profiler; PAWL_UNDECIDED: the kernel does not do this case. Each message says what
   to do. */
typedef enum pawl_status_code pawl_profiler(const struct pawl_profiled_call *call,
                                            struct pawl_arena *arena, struct pawl_profile *out,
                                            struct pawl_error *err);

#define PROFILER(DEVICE, FUNCTION) pawl_profiler FUNCTION;
#include "profile/profilers.inc"
#undef PROFILER

/* By the first profiler of the device (enum pawl_device_kind) that is available and permitted here.
   Where none is: why each is not, or PAWL_NOT_PERMITTED with what to do about it where the driver
   refuses. */
pawl_status pawl_profile_call(int32_t device, const struct pawl_profiled_call *call,
                              struct pawl_arena *arena, struct pawl_profile *out,
                              struct pawl_error *err);
