/* SPDX-License-Identifier: Apache-2.0 */
/* Finds devices and back ends. Each back end is a folder and a row of backends.c. */
#pragma once

#include "device/device.h"

/* Finds the device that `selector` names: its number, its UUID or the start of its UUID. NULL names
 * the first device. Fails with PAWL_USAGE if no device has this name. PAWL_UNAVAILABLE says why
 * there is no device of this kind. */
pawl_status pawl_device_find(int32_t kind, const char *selector, struct pawl_arena *arena,
                             struct pawl_device *out, struct pawl_error *err);

/* Finds the device that `selector` names among `count` listed devices, at least one. */
pawl_status pawl_device_choose(const struct pawl_device *devices, int count, const char *selector,
                               struct pawl_device *out, struct pawl_error *err);

/* Returns NULL if pawl has no back end for this kind. */
const struct pawl_device_backend *pawl_device_backend(int32_t kind);
