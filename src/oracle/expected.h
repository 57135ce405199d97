/* SPDX-License-Identifier: Apache-2.0 */
/* The exact answer of a problem, in the oracle's `expected` arena. */
#ifndef PAWL_ORACLE_EXPECTED_H
#define PAWL_ORACLE_EXPECTED_H

#include "oracle/oracle.h"
#include "oracle/tensor_errors.h"

/* Where the answer to each output lies in the arena. */
struct pawl_expected_set {
  struct pawl_placed_tensor placed[PAWL_MAX_TENSORS]; /* as the operator writes it: dense FP64 */
  struct pawl_cache_piece piece[PAWL_MAX_TENSORS];    /* as it is kept */
  int32_t dtype[PAWL_MAX_TENSORS];                    /* of the piece: PAWL_F32 or PAWL_F64 */
  int tensor[PAWL_MAX_TENSORS];                       /* index in the set */
  int count;
  uint64_t bytes; /* of the arena */
};

/* Points into the arena as it is mapped now. */
struct pawl_expected_set pawl_expected_set_of(const struct pawl_problem *problem, int set);

/* Lets the reference kernel compute the outputs of a set and takes them as the answer; what the
   set's outputs held before is put back. PAWL_CONFIG: it does not do this shape. */
pawl_status pawl_expect_by_reference(struct pawl_problem *problem, int set,
                                     const struct pawl_expected_set *expected,
                                     struct pawl_error *err);

/* The hash of each input and inout of a set as it is now; those of outputs are left as they are. */
void pawl_input_hashes(const struct pawl_problem *problem, int set, struct pawl_hash *out);
/* Index of the first input of a set that is not as drawn; -1: none. */
int pawl_problem_changed_input(const struct pawl_problem *problem, int set);
/* The guard bands and inputs of a set are as they were drawn; false: `out` (of `size` bytes) says
 * what the kernel did.
 */
bool pawl_problem_wrote_only_outputs(const struct pawl_problem *problem, int set, char *out,
                                     size_t size);

/* Of output or inout `tensor` of the problem, after pawl_problem_expect. */
struct pawl_expected pawl_problem_expected(const struct pawl_problem *problem, int set, int tensor);

#endif
