/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of everything that a call wrote, the same in pawl and in pawl-worker. */
#pragma once

#include "base/hash.h"
#include "protocol/tensor.h"

/* The ways in which a worker hashes outputs. FOREIGN: its own way, which pawl cannot compute. */
enum pawl_output_hash_kind {
  PAWL_OUTPUT_HASH_FOREIGN = 0,
  PAWL_OUTPUT_HASH_XXH3,
  PAWL_OUTPUT_HASH_SUM
};

/* Finds the kind by its name in a reply. FOREIGN: pawl does not know it. */
enum pawl_output_hash_kind pawl_output_hash_kind_parse(const char *name);
const char *pawl_output_hash_kind_name(enum pawl_output_hash_kind kind);

/* Hashes the outputs and inouts of a set, in the set's order. `arena` is the mapping of
 * descriptor 5. */
struct pawl_hash pawl_output_hash(enum pawl_output_hash_kind kind,
                                  const struct pawl_tensor_set *set, const unsigned char *arena);

/* Computes the hash of unwritten outputs, whose bytes are all 0xff. Returns false if that means
 * nothing: the set has inouts, or only integers, for which 0xff bytes may be right (-1, or 255). */
bool pawl_unwritten_hash(enum pawl_output_hash_kind kind, const struct pawl_tensor_set *set,
                         struct pawl_hash *out);
