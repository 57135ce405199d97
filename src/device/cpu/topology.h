/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CPUs that share a core. */
#pragma once

#include "process/cpus.h"

/* Orders the CPUs so that the first ones share no core: one of each core, then the second of each
 * core, and so on. `root`: the folder that holds cpu0, cpu1 and so on ("/sys/devices/system/cpu").
 * An unknown CPU counts as a core of its own. */
struct pawl_cpus pawl_cpu_order_by_core(const struct pawl_cpus *cpus, const char *root,
                                        struct pawl_arena *arena);
#define PAWL_CPU_FOLDER "/sys/devices/system/cpu"
