/* SPDX-License-Identifier: Apache-2.0 */
#include "host/perturb.h"

#include <string.h>

#include "base/entropy.h"

bool host_swaps_leave(const struct host_kernel *host, const struct host_set *set, bool swap) {
  struct host_elements inputs[PAWL_MAX_TENSORS];
  int count = 0;
  if (!host->device->exchange) return false;
  for (int t = 0; t < set->placed.count; t++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[t];
    if (placed->spec.role != PAWL_IN) continue;
    const uint64_t size = pawl_dtype_size(placed->spec.dtype);
    inputs[count++] = (struct host_elements){set->tensors[t].data, placed->bytes / size, size};
  }
  return host->device->exchange(host->device_state, inputs, count, swap);
}

pawl_status host_swaps_draw(const struct host_set *set, struct host_swaps *out,
                            struct pawl_error *err) {
  uint64_t drawn[PAWL_SWAPS][2];
  for (int t = 0; t < set->placed.count; t++) {
    PAWL_TRY(pawl_entropy(drawn, sizeof drawn, err));
    out->inputs[t] = pawl_swaps_choose(&set->placed.tensors[t], drawn);
  }
  return PAWL_OK;
}

static pawl_status put(const struct host_kernel *host, const struct host_set *set, int tensor,
                       uint64_t place, const void *value, size_t size, struct pawl_error *err) {
  char *data = set->tensors[tensor].data;
  return host->device->upload(host->device_state, data + place * size, value, size, err);
}

/* Writes both elements of each pair, either swapped or with their values in the shared memory. A
   device in place has no other copy, so a second exchange reverses the first. */
static pawl_status write_pairs(const struct host_kernel *host, const struct host_set *set,
                               const struct host_swaps *swaps, bool swapped,
                               struct pawl_error *err) {
  for (int t = 0; t < set->placed.count; t++) {
    const size_t size = pawl_dtype_size(set->placed.tensors[t].spec.dtype);
    const char *data = set->shared[t].data;
    for (int i = 0; i < swaps->inputs[t].count; i++) {
      const uint64_t *places = swaps->inputs[t].places[i];
      char values[2][HOST_MAX_ELEMENT_BYTES];
      for (int side = 0; side < 2; side++) memcpy(values[side], data + places[side] * size, size);
      for (int side = 0; side < 2; side++)
        PAWL_TRY(put(host, set, t, places[side], values[swapped ? 1 - side : side], size, err));
    }
  }
  return PAWL_OK;
}

pawl_status host_swaps_apply(const struct host_kernel *host, const struct host_set *set,
                             const struct host_swaps *swaps, struct pawl_error *err) {
  return write_pairs(host, set, swaps, true, err);
}

pawl_status host_swaps_revert(const struct host_kernel *host, const struct host_set *set,
                              const struct host_swaps *swaps, struct pawl_error *err) {
  return write_pairs(host, set, swaps, host->device->in_place, err);
}
