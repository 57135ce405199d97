/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/output_hash.h"

struct pawl_hash pawl_output_hash(const struct pawl_tensor_set *set, const unsigned char *arena) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (int i = 0; i < set->count; i++) {
    const struct pawl_placed_tensor *tensor = &set->tensors[i];
    if (tensor->spec.role != PAWL_IN) pawl_hasher_add(&hasher, arena + tensor->offset, tensor->bytes);
  }
  return pawl_hasher_finish(&hasher);
}
