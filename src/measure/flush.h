/* SPDX-License-Identifier: Apache-2.0 */
/* Cold caches. */
#ifndef PAWL_MEASURE_FLUSH_H
#define PAWL_MEASURE_FLUSH_H

#include <stdint.h>

#include "device/device.h"

/* How the timed calls leave the caches, from the size of the last level. */
uint64_t pawl_measure_flush_bytes(const struct pawl_device *device);

#endif
