/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's answers computed on the GPU, by a process of its own, once they are known to be
   those of the operator's own oracle: docs/adr/gpu-oracle.md. Whatever goes wrong with it is said,
   and costs time, never an answer: the operator's own oracle stands behind it. */
#ifndef PAWL_ORACLE_GPU_H
#define PAWL_ORACLE_GPU_H

#include <stdbool.h>

#include "base/error.h"
#include "oracle/oracle.h"

/* The two oracles agree on a trial when each element x of the one and y of the other are within
   this times |y| + the root mean square of the tensor. FP64 on either side stays below 1e-12 on the
   shipped operators, scores of hundreds included; FP32 anywhere shows as 1e-8 or more. NaN agrees
   with NaN, an infinity with itself. */
#define PAWL_GPU_ORACLE_AGREEMENT 1e-11
/* Besides the operator's distributions, its first one with every input this much larger: scores of
 * hundreds. */
#define PAWL_GPU_ORACLE_STRETCH 8.0

struct pawl_gpu_oracle_options {
  const char *plugin;
  const char *gpu; /* UUID of the GPU to use; NULL: the first */
  const char
      *machine; /* what tells this GPU and its driver from another: a trial holds for them alone */
  double timeout_seconds;
};

/* From now on the GPU answers where it can be trusted. Starts its process, which is not waited for.
 */
pawl_status pawl_oracle_use_gpu(struct pawl_oracle *oracle,
                                const struct pawl_gpu_oracle_options *options,
                                struct pawl_error *err);

/* A GPU oracle is in use, and no reference answers instead of the operator. */
bool pawl_oracle_has_gpu(const struct pawl_oracle *oracle);

/* Waits until the process, where there is one, holds what it takes of the GPU's memory, so that no
   kernel's peak memory counts it: to be called before kernels are timed. */
void pawl_oracle_gpu_settle(struct pawl_oracle *oracle);

/* Whether the GPU may answer this problem: it has given the answers of the operator's own oracle on
   a trial of the problem's kind, with every distribution, now or on this machine before. The trial
   overwrites the oracle's `expected`. A difference is told, and is the end of the GPU oracle's use.
 */
bool pawl_oracle_gpu_is_trusted(struct pawl_problem *problem);

/* The largest difference of two dense tensors, as PAWL_GPU_ORACLE_AGREEMENT counts it, and the
   index of the element; 0 and *where untouched when they are the same. */
double pawl_oracle_difference(const double *own, const double *gpu, int64_t count, int64_t *where);

/* Says why, loudly, and ends its use for good. */
void pawl_oracle_gpu_give_up(struct pawl_oracle *oracle, const char *reason);

#endif
