/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the settings of a machine that make times on its CPUs unsteady. */
#pragma once

#include <stddef.h>

#include "base/memory.h"
#include "device/condition.h"

#define PAWL_CPU_CONDITIONS 5

/* Reads governor, turbo, SMT, quota and steal below `root`, "" for this machine. Returns how many
 * of them the system shows. */
size_t pawl_cpu_conditions(const char *root, struct pawl_arena *arena,
                           struct pawl_condition out[PAWL_CPU_CONDITIONS]);
