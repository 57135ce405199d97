/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors in shared memory, as both ends of the protocol see them. */
#pragma once

#include "model/operator_info.h"

/* One tensor in the shared memory of descriptor `fd`. */
struct pawl_placed_tensor {
  struct pawl_tensor_spec spec;
  /* 5: the arena of tensors; 6: the arena of expected values. */
  int fd;
  uint64_t offset, bytes; /* in that arena; the offset is a multiple of 256 */
};

/* All tensors of an operator, in its order. */
struct pawl_tensor_set {
  const struct pawl_placed_tensor *tensors;
  int count;
};
