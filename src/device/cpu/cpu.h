/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/device.h"

extern const struct pawl_device_backend pawl_cpu_backend;

pawl_status pawl_cpu_state(const struct pawl_device *device, struct pawl_arena *arena,
                           struct pawl_device_state *out, struct pawl_error *err);
pawl_status pawl_cpu_limits(const struct pawl_device *device, int32_t dtype,
                            const char *cache_folder, struct pawl_arena *arena,
                            struct pawl_device_limits *out, struct pawl_error *err);

/* "Intel(R) Xeon(R) Processor @ 2.80GHz", in the arena; NULL: unknown. */
const char *pawl_cpu_name(struct pawl_arena *arena);

/* Seconds of CPU used so far by the whole machine (NaN: unknown), and by this process and its
 * children that ended. */
double pawl_cpu_machine_seconds(void);
double pawl_cpu_own_seconds(void);

/* Returns the bytes of the largest cache below `folder` (/sys/devices/system/cpu/cpu0/cache); -1:
 * unknown. */
int64_t pawl_cpu_last_level_cache(const char *folder);

/* Reads one number from a file of /sys or /proc; NaN: unreadable. */
double pawl_cpu_read_number(const char *path);
