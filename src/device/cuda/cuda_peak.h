/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_DEVICE_CUDA_CUDA_PEAK_H
#define PAWL_DEVICE_CUDA_CUDA_PEAK_H

#include "device/device.h"

/* What no kernel can exceed: units x operations per clock x highest clock, and bus width x highest
   memory clock x 2 (double data rate). Operations per clock and SM, dense, a multiply-add counted
   as two: NVIDIA's architecture white papers (V100, T4, A100, GA102, AD102, H100, Blackwell). f32
   without tensor cores (TF32 is off here); f16, bf16 and e4m3 by tensor cores. PAWL_UNAVAILABLE for
   a chip or a dtype that the table does not know. */
pawl_status pawl_cuda_limits(const struct pawl_device *device, int32_t dtype,
                             struct pawl_arena *arena, struct pawl_device_limits *out,
                             struct pawl_error *err);

#endif
