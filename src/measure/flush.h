/* SPDX-License-Identifier: Apache-2.0 */
/* The flush that makes a call start with cold caches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "model/measure_spec.h"

/* Returns the bytes to write before each cold call, from the size of the last-level cache. */
uint64_t pawl_measure_flush_bytes(const struct pawl_device *device);

/* Returns whether cold calls follow a flush that reads what it wrote: those on a GPU do. `device`
 * may be NULL. */
bool pawl_measure_flushes_clean(const struct pawl_device *device,
                                const struct pawl_measure_spec *spec);
