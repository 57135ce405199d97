/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in shared memory, each between two guard bands. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/operator_info.h"
#include "worker/worker.h"

/* The least size, on each side of every tensor. */
#define PAWL_GUARD_BYTES ((uint64_t)4096)
#define PAWL_TENSOR_ALIGNMENT ((uint64_t)256)

/* Places `set_count` sets of the case's tensors in arena `fd`, one after another, from byte `first`
 * to before *end. A guard band follows the last byte of a tensor directly. Each set starts at
 * another offset within a page, so no two have the same addresses modulo 4096. Fails with
 * PAWL_CONFIG if a size is not positive, or if the sizes exceed 2^62 bytes. */
pawl_status pawl_layout_sets(const struct pawl_work *work, int32_t dtype, int fd, uint64_t first,
                             int set_count, struct pawl_arena *arena, struct pawl_tensor_set **sets,
                             uint64_t *end, struct pawl_error *err);

/* Returns the ABI's view of a placed tensor in the mapping `map` of its arena. */
struct pawl_tensor pawl_placed_view(const struct pawl_placed_tensor *placed, void *map);
int64_t pawl_placed_elements(const struct pawl_placed_tensor *placed);

#define PAWL_ELEMENT_NAME (32 + PAWL_MAX_DIMS * 21 + 3)
/* Formats element `index` of a dense tensor as "o[0,3,17,5]". */
void pawl_name_element(const struct pawl_tensor_spec *spec, int64_t index,
                       char out[PAWL_ELEMENT_NAME]);

/* Writes the guard bands of a set. Their bytes are NaN in every float dtype but e4m3, and differ
 * from the poison of the outputs. */
void pawl_guards_write(const struct pawl_tensor_set *set, unsigned char *map);

/* The place at which a guard band was overwritten. */
struct pawl_guard_damage {
  int tensor;    /* the index in the set; -1: all bands are intact */
  bool past_end; /* false: before the tensor's first byte */
  /* the distance from the tensor to the nearest overwritten byte; 0: the byte next to it */
  uint64_t bytes;
};
struct pawl_guard_damage pawl_guards_check(const struct pawl_tensor_set *set,
                                           const unsigned char *map);
