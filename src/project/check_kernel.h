/* SPDX-License-Identifier: Apache-2.0 */
/* Checks ready kernels against their operators' expected values. */
#pragma once

#include "check/kernel_check.h"
#include "project/kernels.h"

struct pawl_check_selection {
  const char *only_case; /* NULL: all cases and the matrix */
  /* --set: values that replace those of the cases, without the matrix; NULL: none */
  const char *assignments;
  uint64_t seed;
  bool trusts_outputs;                   /* as struct pawl_project_options has it */
  bool reduced;                          /* the smallest shapes only */
  const struct pawl_check_range *ranges; /* only the rows in these ranges; all rows without any */
  size_t range_count;
  bool says_wrong;          /* as struct pawl_check_options has it */
  bool show_output;         /* the kernel's output goes to standard error at once */
  const char *const *under; /* a debugger's command that starts the kernel's process; NULL: none */
  int shard, shards;        /* only the rows of shard `shard` of `shards`, from 1; 0: all rows */
  void (*launched)(void *context); /* as struct pawl_check_options has it */
  /* Both as struct pawl_check_options has them. */
  const struct pawl_worker_options *(*base)(void *context);
  const struct pawl_check_matrix *promised;
  struct pawl_shutdown *shutdown; /* as struct pawl_check_options has it */
  void *context;
};

/* Checks one ready kernel: the suite's matrix and the timed cases. */
pawl_status pawl_check_ready_kernel(struct pawl_project *project,
                                    const struct pawl_ready_kernel *kernel,
                                    const struct pawl_check_selection *selection,
                                    struct pawl_check_report *out, struct pawl_error *err);

/* Builds and checks one kernel of the suite. *out has the reason if pawl cannot check the kernel or
   its GPU is lost. *broken becomes true if the kernel does not build. */
pawl_status pawl_project_check(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               const struct pawl_check_selection *selection,
                               struct pawl_kernel_check *out, bool *broken, struct pawl_error *err);

/* Fills in the operator, cases and limits of a check of a ready kernel. `only_case` and
   `assignments` may be NULL. */
pawl_status pawl_ready_check_options(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, const char *only_case,
                                     const char *assignments, uint64_t seed,
                                     struct pawl_check_options *out, struct pawl_error *err);
