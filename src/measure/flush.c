/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/flush.h"

#define UNKNOWN_FLUSH_BYTES ((uint64_t)32 << 20)
/* A second-level cache may be larger than this share of the last level. */
#define MIN_FLUSH_BYTES ((uint64_t)4 << 20)
#define MAX_FLUSH_BYTES ((uint64_t)512 << 20)

uint64_t pawl_measure_flush_bytes(const struct pawl_device *device) {
  if (!device || device->last_level_cache_bytes <= 0) return UNKNOWN_FLUSH_BYTES;
  uint64_t bytes = (uint64_t)device->last_level_cache_bytes;
  /* a GPU's L2 is two halves, each with a copy */
  bytes = device->kind == PAWL_CUDA ? 2 * bytes : bytes / 4 * 5;
  if (bytes < MIN_FLUSH_BYTES) bytes = MIN_FLUSH_BYTES;
  return bytes > MAX_FLUSH_BYTES ? MAX_FLUSH_BYTES : bytes;
}

bool pawl_measure_flushes_clean(const struct pawl_device *device,
                                const struct pawl_measure_spec *spec) {
  return device && device->kind == PAWL_CUDA && spec->cache == PAWL_CACHE_COLD;
}
