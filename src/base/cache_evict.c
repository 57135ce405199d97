/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cache_evict.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#define LINE_BYTES 64u

void pawl_cache_evict(const void *address) { __builtin_ia32_clflush(address); }

static size_t line_bytes(void) { return LINE_BYTES; }

/* CLFLUSH instructions wait for each other. CLFLUSHOPT instructions do not (Intel 64 and IA-32
   Architectures Software Developer's Manual, vol. 2). */
static bool can_overlap(void) {
  static _Atomic int answer = -1; /* CPUID is slow in a virtual machine */
  unsigned a, b = 0, c, d;
  if (answer < 0) answer = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT;
  return answer;
}

__attribute__((target("clflushopt"))) static void evict_overlapping(const unsigned char *first,
                                                                    const unsigned char *end) {
  for (; first < end; first += LINE_BYTES) __builtin_ia32_clflushopt(first);
}

static void evict_lines(const unsigned char *first, const unsigned char *end, size_t line) {
  if (can_overlap())
    evict_overlapping(first, end);
  else
    for (; first < end; first += line) pawl_cache_evict(first);
  __builtin_ia32_mfence();
}

#elif defined(__aarch64__)
/* DminLine of CTR_EL0: log2 of the words of the smallest line (Arm Architecture Reference
 * Manual). */
#define LINE_FIELD 16

void pawl_cache_evict(const void *address) {
  __asm__ volatile("dc civac, %0" ::"r"(address) : "memory");
}

static size_t line_bytes(void) {
  uint64_t type;
  __asm__("mrs %0, ctr_el0" : "=r"(type));
  return (size_t)4 << (type >> LINE_FIELD & 15);
}

static void evict_lines(const unsigned char *first, const unsigned char *end, size_t line) {
  for (; first < end; first += line) pawl_cache_evict(first);
  __asm__ volatile("dsb ish" ::: "memory");
}

#else
void pawl_cache_evict(const void *address) { (void)address; }

static size_t line_bytes(void) { return 1; }

static void evict_lines(const unsigned char *first, const unsigned char *end, size_t line) {
  (void)first, (void)end, (void)line;
}
#endif

void pawl_cache_evict_all(const void *data, size_t bytes) {
  const size_t line = line_bytes();
  const unsigned char *first = data;
  if (bytes) evict_lines(first - (uintptr_t)first % line, first + bytes, line);
}
