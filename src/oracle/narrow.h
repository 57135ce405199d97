/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_ORACLE_NARROW_H
#define PAWL_ORACLE_NARROW_H

#include <stdint.h>

/* Rounds `count` FP64 values to FP32 in place, by all CPUs: the FP32 values then lie in the first
 * half. */
void pawl_narrow(unsigned char *data, int64_t count);

#endif
