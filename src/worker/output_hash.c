/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/output_hash.h"

#include <string.h>

struct pawl_hash pawl_output_hash(const struct pawl_tensor_set *set, const unsigned char *arena) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (int i = 0; i < set->count; i++) {
    const struct pawl_placed_tensor *tensor = &set->tensors[i];
    if (tensor->spec.role != PAWL_IN) pawl_hasher_add(&hasher, arena + tensor->offset, tensor->bytes);
  }
  return pawl_hasher_finish(&hasher);
}

bool pawl_unwritten_hash(const struct pawl_tensor_set *set, struct pawl_hash *out) {
  unsigned char unwritten[4096];
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  memset(unwritten, 0xff, sizeof unwritten);
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_INOUT) return false;
    uint64_t left = set->tensors[i].spec.role == PAWL_OUT ? set->tensors[i].bytes : 0;
    for (size_t piece; left; left -= piece) {
      piece = left < sizeof unwritten ? (size_t)left : sizeof unwritten;
      pawl_hasher_add(&hasher, unwritten, piece);
    }
  }
  *out = pawl_hasher_finish(&hasher);
  return true;
}
