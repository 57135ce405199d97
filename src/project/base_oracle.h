/* SPDX-License-Identifier: Apache-2.0 */
/* `check: {OPERATOR: {oracle: base}}`: the outputs of the base's build of a kernel are the expected
   values of the kernel. */
#pragma once

#include "project/operators.h"

/* The base's build of a kernel, which answers in place of the operator. */
struct pawl_base_answer {
  const struct pawl_kernel_spec *spec;
  const struct pawl_worker_options *worker;
  const char *is; /* "base"; "itself": --trust-outputs */
  struct pawl_base_answer *next;
};

/* Prepares the oracle for a kernel: it refuses shapes that the kernel's GPU cannot hold. Lets the
 * kernel's base answer from now on, if the suite says `oracle: base`. The base is the
 * merge base; on main, the commit of the kernel's baseline; in a bisection, the good commit. Fails
 * with PAWL_CONFIG without such a commit, or if it does not have the kernel, because nothing would
 * then judge the kernel. On main,
 * --trust-outputs lets the kernel itself answer instead, with a warning. */
pawl_status pawl_base_oracle_use(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                 struct pawl_oracle *oracle, struct pawl_error *err);
