/* SPDX-License-Identifier: Apache-2.0 */
/* The flush that makes a call start with cold caches. */
#pragma once

#include <stdint.h>

#include "device/device.h"

/* Returns the bytes to write before each cold call, from the size of the last-level cache. */
uint64_t pawl_measure_flush_bytes(const struct pawl_device *device);
