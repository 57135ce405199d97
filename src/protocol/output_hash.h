/* SPDX-License-Identifier: Apache-2.0 */
/* One hash of all that a call wrote, the same in pawl and in pawl-worker. */
#ifndef PAWL_PROTOCOL_OUTPUT_HASH_H
#define PAWL_PROTOCOL_OUTPUT_HASH_H

#include "base/hash.h"
#include "protocol/tensor.h"

/* How a worker identifies the bytes of outputs. FOREIGN: in its own way, which pawl cannot compute.
 */
enum pawl_output_hash_kind {
  PAWL_OUTPUT_HASH_FOREIGN = 0,
  PAWL_OUTPUT_HASH_XXH3,
  PAWL_OUTPUT_HASH_SUM
};

/* By the name in a reply; FOREIGN when pawl does not know it. */
enum pawl_output_hash_kind pawl_output_hash_kind_parse(const char *name);
const char *pawl_output_hash_kind_name(enum pawl_output_hash_kind kind);

/* Of the bytes of the outputs and inouts of a set, in the set's order; `arena` is where descriptor
 * 5 is mapped. */
struct pawl_hash pawl_output_hash(enum pawl_output_hash_kind kind,
                                  const struct pawl_tensor_set *set, const unsigned char *arena);

/* The same of outputs as they are before a timed call, every byte 0xff. False: the set has inouts,
   which are not, or integers alone, which may be so rightly: -1, or 255. */
bool pawl_unwritten_hash(enum pawl_output_hash_kind kind, const struct pawl_tensor_set *set,
                         struct pawl_hash *out);

#endif
