/* SPDX-License-Identifier: Apache-2.0 */
/* A ready kernel compared with its operator's expected values. */
#ifndef PAWL_LOOP_CHECK_KERNEL_H
#define PAWL_LOOP_CHECK_KERNEL_H

#include "check/kernel_check.h"
#include "loop/kernels.h"

struct pawl_check_selection {
  const char *only_case; /* NULL: all, and the matrix */
  uint64_t seed;
  bool reduced;      /* the smallest shapes only */
  int shard, shards; /* only the rows of shard `shard` of `shards`, from 1; 0: all */
};

/* Checks one ready kernel: the suite's matrix and the timed cases. */
pawl_status pawl_check_ready_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                    const struct pawl_check_selection *selection, struct pawl_check_report *out,
                                    struct pawl_error *err);

/* Builds and checks one kernel of the suite. What cannot be checked, or is lost with its GPU, says so in *out; *broken
   becomes true if the kernel does not build. */
pawl_status pawl_project_check(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               const struct pawl_check_selection *selection, struct pawl_kernel_check *out,
                               bool *broken, struct pawl_error *err);

/* The operator, cases and limits of a check of a ready kernel; `only_case` may be NULL. */
pawl_status pawl_ready_check_options(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                     const char *only_case, uint64_t seed, struct pawl_check_options *out,
                                     struct pawl_error *err);

#endif
