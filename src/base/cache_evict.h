/* SPDX-License-Identifier: Apache-2.0 */
/* Evicts memory from the caches of all cores, whatever their size, and writes dirty lines back
   first. Works on x86-64, and on AArch64 under Linux. Other systems do not let a program do so, and
   these functions do nothing there. */
#pragma once

#include <stddef.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define PAWL_CACHE_CAN_EVICT 1
#else
#define PAWL_CACHE_CAN_EVICT 0
#endif

/* Evicts the line of an address. */
void pawl_cache_evict(const void *address);

/* Evicts all lines of these bytes before it returns. */
void pawl_cache_evict_all(const void *data, size_t bytes);
