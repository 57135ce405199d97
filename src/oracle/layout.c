/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/layout.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/dtype.h"

#define LARGEST ((uint64_t)1 << 62)

static uint64_t layout_align(uint64_t offset) {
  return (offset + PAWL_TENSOR_ALIGNMENT - 1) / PAWL_TENSOR_ALIGNMENT * PAWL_TENSOR_ALIGNMENT;
}

/* Returns the bytes of a dense tensor. 0: a size is not positive, or the product is too large. */
static uint64_t dense_bytes(const struct pawl_tensor_spec *spec) {
  uint64_t bytes = pawl_dtype_size(spec->dtype);
  for (int32_t i = 0; i < spec->ndim; i++) {
    if (spec->size[i] <= 0 || (uint64_t)spec->size[i] > LARGEST) return 0;
    if (__builtin_mul_overflow(bytes, (uint64_t)spec->size[i], &bytes) || bytes > LARGEST) return 0;
  }
  return bytes;
}

pawl_status pawl_layout_sets(const struct pawl_work *work, int32_t dtype, int fd, uint64_t first,
                             int set_count, struct pawl_arena *arena, struct pawl_tensor_set **sets,
                             uint64_t *end, struct pawl_error *err) {
  struct pawl_tensor_set *out = pawl_arena_alloc(arena, (size_t)set_count, sizeof *out);
  uint64_t offset = first;
  for (int s = 0; s < set_count; s++) {
    struct pawl_placed_tensor *tensors =
        pawl_arena_alloc(arena, (size_t)work->tensor_count, sizeof *tensors);
    /* 5 and 16 have no common factor: 16 sets pass before an offset within the page repeats */
    offset = (offset + PAWL_GUARD_BYTES - 1) / PAWL_GUARD_BYTES * PAWL_GUARD_BYTES +
             (uint64_t)s * 5 % 16 * PAWL_TENSOR_ALIGNMENT;
    for (int i = 0; i < work->tensor_count; i++) {
      struct pawl_placed_tensor *t = &tensors[i];
      t->spec = work->tensors[i];
      if (t->spec.dtype == PAWL_DTYPE_NONE) t->spec.dtype = dtype;
      t->fd = fd;
      t->bytes = dense_bytes(&t->spec);
      if (!t->bytes || t->bytes > LARGEST - offset)
        return pawl_fail(err, PAWL_CONFIG,
                         "tensor '%s' of dtype %s has no elements or too many; check the shape",
                         t->spec.name, pawl_dtype_name(t->spec.dtype));
      t->offset = layout_align(offset + PAWL_GUARD_BYTES);
      offset = t->offset + t->bytes + PAWL_GUARD_BYTES;
    }
    out[s] = (struct pawl_tensor_set){tensors, work->tensor_count};
  }
  *sets = out;
  *end = offset;
  return PAWL_OK;
}

struct pawl_tensor pawl_placed_view(const struct pawl_placed_tensor *placed, void *map) {
  struct pawl_tensor view = {.data = (unsigned char *)map + placed->offset,
                             .dtype = placed->spec.dtype,
                             .role = placed->spec.role,
                             .ndim = placed->spec.ndim};
  int64_t stride = 1;
  for (int32_t i = view.ndim - 1; i >= 0; i--) {
    view.size[i] = placed->spec.size[i];
    view.stride[i] = stride;
    stride *= placed->spec.size[i];
  }
  return view;
}

int64_t pawl_placed_elements(const struct pawl_placed_tensor *placed) {
  return (int64_t)(placed->bytes / pawl_dtype_size(placed->spec.dtype));
}

void pawl_name_element(const struct pawl_tensor_spec *spec, int64_t index,
                       char out[PAWL_ELEMENT_NAME]) {
  const size_t size = PAWL_ELEMENT_NAME;
  int64_t position[PAWL_MAX_DIMS];
  for (int32_t i = spec->ndim - 1; i >= 0; i--) {
    position[i] = index % spec->size[i];
    index /= spec->size[i];
  }
  int length = snprintf(out, size, "%.32s[", spec->name);
  for (int32_t i = 0; i < spec->ndim; i++)
    length +=
        snprintf(out + length, size - (size_t)length, "%s%" PRId64, i ? "," : "", position[i]);
  snprintf(out + length, size - (size_t)length, "]");
}

/* Returns the byte at `offset` of the arena's guard pattern. Odd bytes are 0xff, even bytes 0xf1 to
 * 0xfe in an order without a short period. So a copied band from another offset shows too. */
static unsigned char pattern(uint64_t offset) {
  if (offset & 1) return 0xff;
  return (unsigned char)(0xf1 + (offset * 0x9e3779b97f4a7c15u >> 40) % 14);
}

void pawl_guards_write(const struct pawl_tensor_set *set, unsigned char *map) {
  for (int i = 0; i < set->count; i++) {
    const uint64_t begin = set->tensors[i].offset, end = begin + set->tensors[i].bytes;
    for (uint64_t b = begin - PAWL_GUARD_BYTES; b < begin; b++) map[b] = pattern(b);
    for (uint64_t b = end; b < end + PAWL_GUARD_BYTES; b++) map[b] = pattern(b);
  }
}

struct pawl_guard_damage pawl_guards_check(const struct pawl_tensor_set *set,
                                           const unsigned char *map) {
  for (int i = 0; i < set->count; i++) {
    const uint64_t begin = set->tensors[i].offset, end = begin + set->tensors[i].bytes;
    for (uint64_t k = 0; k < PAWL_GUARD_BYTES; k++) {
      if (map[end + k] != pattern(end + k)) return (struct pawl_guard_damage){i, true, k};
      if (map[begin - 1 - k] != pattern(begin - 1 - k))
        return (struct pawl_guard_damage){i, false, k};
    }
  }
  return (struct pawl_guard_damage){.tensor = -1};
}
