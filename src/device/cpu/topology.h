/* SPDX-License-Identifier: Apache-2.0 */
/* Which CPUs share a core. */
#ifndef PAWL_DEVICE_CPU_TOPOLOGY_H
#define PAWL_DEVICE_CPU_TOPOLOGY_H

#include "process/cpus.h"

/* The same CPUs, ordered so that the first ones share no core: one of each core, then the second of
   each core, and so on. `root`: the folder that holds cpu0, cpu1 ... ("/sys/devices/system/cpu").
   CPUs of which nothing is known count as cores of their own. */
struct pawl_cpus pawl_cpu_order_by_core(const struct pawl_cpus *cpus, const char *root,
                                        struct pawl_arena *arena);
#define PAWL_CPU_FOLDER "/sys/devices/system/cpu"

#endif
