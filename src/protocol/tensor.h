/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in shared memory, as both ends of the protocol see them. */
#pragma once

#include "model/operator_info.h"

/* The descriptors of the shared memory of tensors, and of the expected values. Kernels do not have
 * the second. */
#define PAWL_TENSOR_ARENA 5
#define PAWL_EXPECTED_ARENA 6

/* One tensor in the shared memory of descriptor `fd`. */
struct pawl_placed_tensor {
  struct pawl_tensor_spec spec;
  int fd;                 /* PAWL_TENSOR_ARENA or PAWL_EXPECTED_ARENA */
  uint64_t offset, bytes; /* in that arena; the offset is a multiple of 256 */
};

/* All tensors of an operator, in its order. */
struct pawl_tensor_set {
  const struct pawl_placed_tensor *tensors;
  int count;
};
