/* SPDX-License-Identifier: Apache-2.0 */
/* The back ends that there are: a folder and a row of backends.c each. */
#ifndef PAWL_DEVICE_BACKENDS_H
#define PAWL_DEVICE_BACKENDS_H

#include "device/device.h"

/* The device that a user means by `selector`: its number, or its UUID or the start of one. NULL:
   the first. PAWL_USAGE when there is none such, PAWL_UNAVAILABLE with the reason when there is no
   device of this kind at all. */
pawl_status pawl_device_find(int32_t kind, const char *selector, struct pawl_arena *arena,
                             struct pawl_device *out, struct pawl_error *err);

/* The same among `count` devices, at least one, that were listed. */
pawl_status pawl_device_choose(const struct pawl_device *devices, int count, const char *selector,
                               struct pawl_device *out, struct pawl_error *err);

/* NULL when pawl has no back end for this kind. */
const struct pawl_device_backend *pawl_device_backend(int32_t kind);

#endif
