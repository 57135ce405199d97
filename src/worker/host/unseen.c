/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/host/unseen.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "model/dtype.h"

#define MOST_ELEMENT_BYTES 8

pawl_status host_exchanges_draw(const struct host_set *set, struct host_exchanges *out, struct pawl_error *err) {
  uint64_t drawn[2 * HOST_EXCHANGES];
  for (int t = 0; t < set->placed.count; t++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[t];
    const uint64_t elements = placed->bytes / pawl_dtype_size(placed->spec.dtype);
    const uint64_t pairs = elements / 2 < HOST_EXCHANGES ? elements / 2 : HOST_EXCHANGES;
    out->count[t] = placed->spec.role == PAWL_IN && pawl_dtype_is_floating(placed->spec.dtype) ? (int)pairs : 0;
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
      return pawl_fail(err, PAWL_IO, "cannot draw random numbers: %s", strerror(errno));
    for (int i = 0; i < out->count[t]; i++) {
      /* each of a pair in a stretch of its own, so that no element is drawn twice */
      const uint64_t stretch = elements / (2 * pairs);
      for (int side = 0; side < 2; side++)
        out->places[t][i][side] = (uint64_t)(2 * i + side) * stretch + drawn[2 * i + side] % stretch;
    }
  }
  return PAWL_OK;
}

static pawl_status put(const struct host_kernel *host, const struct host_set *set, int tensor, uint64_t place,
                       const void *value, size_t size, struct pawl_error *err) {
  char *data = set->tensors[tensor].data;
  return host->device->upload(host->device_state, data + place * size, value, size, err);
}

/* Writes both elements of each pair: exchanged, or as they stand in the shared memory. In place there is no other copy,
   and to exchange them once more is to take it back. */
static pawl_status write_pairs(const struct host_kernel *host, const struct host_set *set,
                               const struct host_exchanges *exchanges, bool exchanged, struct pawl_error *err) {
  for (int t = 0; t < set->placed.count; t++) {
    const size_t size = pawl_dtype_size(set->placed.tensors[t].spec.dtype);
    const char *data = set->shared[t].data;
    for (int i = 0; i < exchanges->count[t]; i++) {
      const uint64_t *places = exchanges->places[t][i];
      char values[2][MOST_ELEMENT_BYTES];
      for (int side = 0; side < 2; side++) memcpy(values[side], data + places[side] * size, size);
      for (int side = 0; side < 2; side++)
        PAWL_TRY(put(host, set, t, places[side], values[exchanged ? 1 - side : side], size, err));
    }
  }
  return PAWL_OK;
}

pawl_status host_exchanges_make(const struct host_kernel *host, const struct host_set *set,
                                const struct host_exchanges *exchanges, struct pawl_error *err) {
  return write_pairs(host, set, exchanges, true, err);
}

pawl_status host_exchanges_undo(const struct host_kernel *host, const struct host_set *set,
                                const struct host_exchanges *exchanges, struct pawl_error *err) {
  return write_pairs(host, set, exchanges, host->device->in_place, err);
}
