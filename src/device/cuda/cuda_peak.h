/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/device.h"

/* Returns the limits of every kernel. FLOP/s are units x operations per clock x highest clock.
 * Bytes/s are bus width x highest memory clock x 2 (double data rate). Operations per clock and SM
 * are dense, with a multiply-add as two, from NVIDIA's architecture white papers (V100, T4, A100,
 * GA102, AD102, H100, Blackwell). f32 has no tensor cores (TF32 is off here); f16, bf16 and e4m3
 * use them. Fails with PAWL_UNAVAILABLE if the table does not know the chip or the dtype. */
pawl_status pawl_cuda_limits(const struct pawl_device *device, int32_t dtype,
                             struct pawl_arena *arena, struct pawl_device_limits *out,
                             struct pawl_error *err);
