/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_DEVICE_CUDA_CUDA_H
#define PAWL_DEVICE_CUDA_CUDA_H

#include "device/device.h"

extern const struct pawl_device_backend pawl_cuda_backend;

#endif
