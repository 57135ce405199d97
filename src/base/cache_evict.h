/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_BASE_CACHE_EVICT_H
#define PAWL_BASE_CACHE_EVICT_H

/* Writes the line of an address back and removes it from the caches of all cores, where the processor lets a program do
   so (x86-64, AArch64 under Linux). */
static inline void pawl_cache_evict(const void *address) {
#if defined(__x86_64__)
  __builtin_ia32_clflush(address);
#elif defined(__aarch64__)
  __asm__ volatile("dc civac, %0" ::"r"(address) : "memory");
#else
  (void)address;
#endif
}

#endif
