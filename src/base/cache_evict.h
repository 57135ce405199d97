/* SPDX-License-Identifier: Apache-2.0 */
/* Memory leaves the caches of all cores, whatever their size: what is dirty is written back first.
   For x86-64 and for AArch64 under Linux; elsewhere a program may not do so, and these functions do
   nothing. */
#ifndef PAWL_BASE_CACHE_EVICT_H
#define PAWL_BASE_CACHE_EVICT_H

#include <stddef.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define PAWL_CACHE_CAN_EVICT 1
#else
#define PAWL_CACHE_CAN_EVICT 0
#endif

/* The line of an address. */
void pawl_cache_evict(const void *address);

/* All lines of these bytes. When it returns they are out. */
void pawl_cache_evict_all(const void *data, size_t bytes);

#endif
