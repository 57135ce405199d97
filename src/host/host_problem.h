/* SPDX-License-Identifier: Apache-2.0 */
/* A request about a case, read: its shape and its tensors where they lie in the shared memory. */
#pragma once

#include "base/json.h"
#include "host/mapping.h"

struct host_problem {
  struct pawl_shape shape;
  struct pawl_tensor_set set;
  struct pawl_tensor tensors[PAWL_MAX_TENSORS];
};

/* `fd`: of the tensors' shared memory, which `mapping` maps. Strings live in the arena. */
pawl_status host_problem_read(struct host_mapping *mapping, int fd, const json_t *params,
                              struct pawl_arena *arena, struct host_problem *out,
                              struct pawl_error *err);

/* Room for the exact answers: expected[i] for each tensor of the operator, NULL for an input. */
pawl_status host_problem_expected(struct host_mapping *mapping, int fd, const json_t *params,
                                  const struct host_problem *problem,
                                  double *expected[PAWL_MAX_TENSORS], struct pawl_error *err);
