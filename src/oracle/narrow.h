/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Rounds `count` FP64 values to FP32 in place, on all CPUs. The FP32 values fill the first half. */
void pawl_narrow(unsigned char *data, int64_t count);
