/* SPDX-License-Identifier: Apache-2.0 */
/* Computes an operator's expected values on the GPU, in a process of its own, after a trial has
 * shown that they agree with the operator's own oracle: docs/adr/gpu-oracle.md. If it fails, pawl
 * reports that and asks the operator's own oracle. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "oracle/oracle.h"

/* The largest difference of the two oracles in a trial, as a factor of |y| + the root mean square
 * of the tensor. FP64 on both sides stays below 1e-12 on the shipped operators, even with scores of
 * hundreds. FP32 anywhere gives 1e-8 or more. NaN agrees with NaN, an infinity with itself. */
#define PAWL_GPU_ORACLE_AGREEMENT 1e-11
/* A trial also multiplies the inputs of the operator's first distribution by this number, for
 * scores of hundreds. */
#define PAWL_GPU_ORACLE_STRETCH 8.0

struct pawl_gpu_oracle_options {
  const char *plugin;
  const char *gpu; /* the UUID of the GPU; NULL: the first */
  /* identifies the GPU and its driver, because a trial is valid for them alone */
  const char *machine;
  double timeout_seconds;
};

/* Starts the process of the GPU oracle and does not wait. From now on the GPU answers if a trial
 * has passed. */
pawl_status pawl_oracle_use_gpu(struct pawl_oracle *oracle,
                                const struct pawl_gpu_oracle_options *options,
                                struct pawl_error *err);

/* Returns whether a GPU oracle is in use and no reference replaces the operator. */
bool pawl_oracle_has_gpu(const struct pawl_oracle *oracle);

/* Waits until the process, if any, has allocated its GPU memory, so no kernel's peak memory
 * includes it. Call it before pawl times kernels. */
void pawl_oracle_gpu_settle(struct pawl_oracle *oracle);

/* Returns whether the GPU may answer this problem. A trial with every distribution must
 * have shown agreement for this kind of problem, now or earlier on this machine. A trial overwrites
 * the oracle's `expected`. A difference is reported and ends the use of the GPU oracle. */
bool pawl_oracle_gpu_is_trusted(struct pawl_problem *problem);

/* Returns the largest difference of two dense tensors, in units of PAWL_GPU_ORACLE_AGREEMENT, and
 * the element's index in *where. If they are equal, returns 0 and leaves *where. */
double pawl_oracle_difference(const double *own, const double *gpu, int64_t count, int64_t *where);

/* Warns with the reason and ends the use of the GPU oracle for good. */
void pawl_oracle_gpu_give_up(struct pawl_oracle *oracle, const char *reason);
