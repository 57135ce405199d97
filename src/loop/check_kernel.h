/* SPDX-License-Identifier: Apache-2.0 */
/* A ready kernel compared with its operator's expected values. */
#ifndef PAWL_LOOP_CHECK_KERNEL_H
#define PAWL_LOOP_CHECK_KERNEL_H

#include "check/check.h"
#include "check/sanitizer.h"
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

/* Calls a ready kernel of a plug-in once under a tool of compute-sanitizer, on the smallest shape of its check. */
pawl_status pawl_sanitize_ready_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                                       const char *only_case, uint64_t seed, const char *tool,
                                       struct pawl_sanitizer_report *out, struct pawl_error *err);

#endif
