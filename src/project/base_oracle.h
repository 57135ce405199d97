/* SPDX-License-Identifier: Apache-2.0 */
/* `check: {OPERATOR: {oracle: base}}`: the outputs of the base's build of a kernel are the expected
   values of the kernel. */
#pragma once

#include "project/operators.h"

/* The base's build of a kernel, which answers in place of the operator. */
struct pawl_base_answer {
  const struct pawl_kernel_spec *spec;
  const struct pawl_worker_options *worker;
  const char *is; /* "base"; "itself": no base has the kernel yet */
  struct pawl_base_answer *next;
};

/* Lets the kernel's base answer from now on, if the suite says `oracle: base`. The base is the
 * merge base; on main, the commit of the kernel's baseline, else the last commit before the tree's
 * own changes. On main without either, the kernel itself answers, with a warning. Fails with
 * PAWL_CONFIG if a change's base does not have the kernel, because nothing would then judge it. */
pawl_status pawl_base_oracle_use(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                 struct pawl_oracle *oracle, struct pawl_error *err);
