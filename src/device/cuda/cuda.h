/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/device.h"

extern const struct pawl_device_backend pawl_cuda_backend;
