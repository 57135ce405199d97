/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and states of a GPU that make its times unsteady or its results doubtful, each judged.
 * NVML only reads. */
#ifndef PAWL_DEVICE_CUDA_GPU_CONDITIONS_H
#define PAWL_DEVICE_CUDA_GPU_CONDITIONS_H

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/condition.h"
#include "device/device.h"

#define PAWL_GPU_CONDITIONS 8

/* Judges persistence mode, clock, what slows the clock down now, power limit, ECC, memory errors,
   MIG and other processes; sets *count to how many of them NVML tells. PAWL_UNAVAILABLE: no NVML,
   or it does not know the GPU. */
pawl_status pawl_gpu_conditions(const struct pawl_device *device, struct pawl_arena *arena,
                                struct pawl_condition out[PAWL_GPU_CONDITIONS], size_t *count,
                                struct pawl_error *err);

#endif
