/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request about a case: its shape, and its tensors in the shared memory. */
#pragma once

#include "base/json.h"
#include "host/mapping.h"

struct host_problem {
  struct pawl_shape shape;
  struct pawl_tensor_set set;
  struct pawl_tensor tensors[PAWL_MAX_TENSORS];
};

/* `fd` is the shared memory of the tensors, which the function maps into `mapping`. Strings live in
   the arena. */
pawl_status host_problem_read(struct host_mapping *mapping, int fd, const json_t *params,
                              struct pawl_arena *arena, struct host_problem *out,
                              struct pawl_error *err);

/* Finds the memory for the exact answers. Sets expected[i] for each tensor of the operator, to NULL
   for an input. */
pawl_status host_problem_expected(struct host_mapping *mapping, int fd, const json_t *params,
                                  const struct host_problem *problem,
                                  double *expected[PAWL_MAX_TENSORS], struct pawl_error *err);
