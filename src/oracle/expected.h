/* SPDX-License-Identifier: Apache-2.0 */
/* The expected values of a problem, in the oracle's `expected` arena. */
#pragma once

#include "oracle/oracle.h"
#include "oracle/tensor_errors.h"

/* The positions of the expected values in the arena. */
struct pawl_expected_set {
  /* as the operator writes it: dense FP64 */
  struct pawl_placed_tensor placed[PAWL_MAX_TENSORS];
  struct pawl_cache_piece piece[PAWL_MAX_TENSORS]; /* as the cache stores it */
  int32_t dtype[PAWL_MAX_TENSORS];                 /* dtype of the piece: PAWL_F32 or PAWL_F64 */
  int tensor[PAWL_MAX_TENSORS];                    /* index in the set */
  int count;
  uint64_t bytes; /* the size of the arena */
};

/* Points the pieces into the arena's current mapping. */
struct pawl_expected_set pawl_expected_set_of(const struct pawl_problem *problem, int set);

/* Computes a set's outputs with the reference kernel, copies them as the expected values, and
 * restores the outputs. Fails with PAWL_CONFIG if the kernel does not support this shape. */
pawl_status pawl_expect_by_reference(struct pawl_problem *problem, int set,
                                     const struct pawl_expected_set *expected,
                                     struct pawl_error *err);

/* Returns the index of the first input of a set that has changed since pawl drew it, or -1. */
int pawl_problem_changed_input(const struct pawl_problem *problem, int set);
/* Returns whether the guard bands and inputs of a set are as pawl made them. If not, `out` (of
 * `size` bytes) says what the kernel did. */
bool pawl_problem_wrote_only_outputs(const struct pawl_problem *problem, int set, char *out,
                                     size_t size);

/* Returns the expected values of output or inout `tensor`, after pawl_problem_expect(). */
struct pawl_expected pawl_problem_expected(const struct pawl_problem *problem, int set, int tensor);
