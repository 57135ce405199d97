/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/device.h"

extern const struct pawl_device_backend pawl_cpu_backend;

pawl_status pawl_cpu_state(const struct pawl_device *device, struct pawl_arena *arena,
                           struct pawl_device_state *out, struct pawl_error *err);
/* Returns the state without `other_busy`, for which pawl_cpu_state() waits. */
struct pawl_device_state pawl_cpu_state_at_once(void);
pawl_status pawl_cpu_limits(const struct pawl_device *device, int32_t dtype, int threads,
                            const char *cache_folder, struct pawl_arena *arena,
                            struct pawl_device_limits *out, struct pawl_error *err);
/* The same for a time that is beyond those peaks: measures them once more, because other work may
 * have lowered each measurement so far. After some such calls the figures stand. */
pawl_status pawl_cpu_limits_again(const struct pawl_device *device, int32_t dtype, int threads,
                                  const char *cache_folder, struct pawl_arena *arena,
                                  struct pawl_device_limits *out, struct pawl_error *err);

/* Returns "Intel(R) Xeon(R) Processor @ 2.80GHz" in the arena, or NULL if it is unknown. */
const char *pawl_cpu_name(struct pawl_arena *arena);

/* Return seconds of CPU so far: of the whole machine (NaN if unknown), and of this process with its
 * ended children. */
double pawl_cpu_machine_seconds(void);
double pawl_cpu_own_seconds(void);

/* Returns the bytes of the largest cache below `folder` (/sys/devices/system/cpu/cpu0/cache), or
 * -1. */
int64_t pawl_cpu_last_level_cache(const char *folder);

/* Reads one number from a file of /sys or /proc. Returns NaN if that fails. */
double pawl_cpu_read_number(const char *path);

/* Returns whether the system lets this process count events of the processor, such as cycles. */
bool pawl_cpu_counts_events(void);
