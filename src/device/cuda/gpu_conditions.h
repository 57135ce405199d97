/* SPDX-License-Identifier: Apache-2.0 */
/* Judges, without changing anything, what makes a GPU's times unsteady or its results doubtful. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/condition.h"
#include "device/device.h"

#define PAWL_GPU_CONDITIONS 8

/* Judges persistence mode, clock, current slow-downs, power limit, ECC, memory errors, MIG and
 * other processes. *count is the number of conditions that NVML knows. Fails with PAWL_UNAVAILABLE
 * without NVML, or if NVML does not know the GPU. */
pawl_status pawl_gpu_conditions(const struct pawl_device *device, struct pawl_arena *arena,
                                struct pawl_condition out[PAWL_GPU_CONDITIONS], size_t *count,
                                struct pawl_error *err);
