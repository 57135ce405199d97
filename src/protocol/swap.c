/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/swap.h"

#include "model/dtype.h"

struct pawl_swaps pawl_swaps_choose(const struct pawl_placed_tensor *tensor,
                                    const uint64_t random[PAWL_SWAPS][2]) {
  struct pawl_swaps swaps = {.count = 0};
  if (tensor->spec.role != PAWL_IN || !pawl_dtype_is_floating(tensor->spec.dtype)) return swaps;
  const uint64_t elements = tensor->bytes / pawl_dtype_size(tensor->spec.dtype);
  const uint64_t pairs = elements / 2 < PAWL_SWAPS ? elements / 2 : PAWL_SWAPS;
  for (uint64_t i = 0; i < 2 * pairs; i++) {
    /* each pair in its own stretch, so that no element is in two pairs */
    const uint64_t stretch = elements / (2 * pairs);
    swaps.places[i / 2][i % 2] = i * stretch + random[i / 2][i % 2] % stretch;
  }
  swaps.count = (int)pairs;
  return swaps;
}
