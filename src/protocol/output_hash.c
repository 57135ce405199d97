/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/output_hash.h"

#include <string.h>

#include "model/dtype.h"

#include "base/count.h"
#include "base/sum_hash.h"

static const char *const names[] = {
    [PAWL_OUTPUT_HASH_XXH3] = "xxh3", [PAWL_OUTPUT_HASH_SUM] = "fmix64-sum"};

enum pawl_output_hash_kind pawl_output_hash_kind_parse(const char *name) {
  for (size_t i = PAWL_OUTPUT_HASH_XXH3; name && i < PAWL_COUNT(names); i++) {
    if (!strcmp(name, names[i])) return (enum pawl_output_hash_kind)i;
  }
  return PAWL_OUTPUT_HASH_FOREIGN;
}

const char *pawl_output_hash_kind_name(enum pawl_output_hash_kind kind) { return names[kind]; }

static struct pawl_hash xxh3_hash(const struct pawl_tensor_set *set, const unsigned char *arena) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (int i = 0; i < set->count; i++) {
    const struct pawl_placed_tensor *tensor = &set->tensors[i];
    if (tensor->spec.role != PAWL_IN)
      pawl_hasher_add(&hasher, arena + tensor->offset, tensor->bytes);
  }
  return pawl_hasher_finish(&hasher);
}

static struct pawl_hash sum_hash(const struct pawl_tensor_set *set, const unsigned char *arena) {
  struct pawl_sum_hasher hasher = {0};
  for (int i = 0; i < set->count; i++) {
    const struct pawl_placed_tensor *tensor = &set->tensors[i];
    if (tensor->spec.role != PAWL_IN)
      pawl_sum_hash_add(&hasher, arena + tensor->offset, tensor->bytes);
  }
  return hasher.sum;
}

struct pawl_hash pawl_output_hash(enum pawl_output_hash_kind kind,
                                  const struct pawl_tensor_set *set, const unsigned char *arena) {
  PAWL_ASSERT(kind != PAWL_OUTPUT_HASH_FOREIGN);
  return kind == PAWL_OUTPUT_HASH_SUM ? sum_hash(set, arena) : xxh3_hash(set, arena);
}

static struct pawl_hash unwritten_xxh3(const struct pawl_tensor_set *set) {
  struct pawl_hasher hasher;
  pawl_hasher_init(&hasher);
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_OUT)
      pawl_hasher_add_same(&hasher, 0xff, set->tensors[i].bytes);
  }
  return pawl_hasher_finish(&hasher);
}

static struct pawl_hash unwritten_sum(const struct pawl_tensor_set *set) {
  struct pawl_sum_hasher hasher = {0};
  for (int i = 0; i < set->count; i++) {
    if (set->tensors[i].spec.role == PAWL_OUT)
      pawl_sum_hash_add_same(&hasher, 0xff, set->tensors[i].bytes);
  }
  return hasher.sum;
}

bool pawl_unwritten_hash(enum pawl_output_hash_kind kind, const struct pawl_tensor_set *set,
                         struct pawl_hash *out) {
  PAWL_ASSERT(kind != PAWL_OUTPUT_HASH_FOREIGN);
  bool any_floating = false;
  for (int i = 0; i < set->count; i++) {
    const struct pawl_tensor_spec *spec = &set->tensors[i].spec;
    if (spec->role == PAWL_INOUT) return false;
    any_floating = any_floating || (spec->role == PAWL_OUT && pawl_dtype_is_floating(spec->dtype));
  }
  if (!any_floating) return false;
  *out = kind == PAWL_OUTPUT_HASH_SUM ? unwritten_sum(set) : unwritten_xxh3(set);
  return true;
}
