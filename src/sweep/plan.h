/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a sweep: which kernels and references, and on which shapes. */
#pragma once

#include "project/kernels.h"
#include "sweep/sweep.h"

struct pawl_sweep_options {
  char **names; /* kernels and references; none: all of the suite */
  int name_count;
  const char *case_name; /* only this case; NULL: all shapes */
  const char *matrix;    /* the suite's `sweep` section as YAML, which replaces it; NULL: none */
  double precision;      /* as in struct pawl_sweep_plan */
  int least_blocks, most_blocks;
  uint64_t seed;
  double budget_seconds; /* used if evaluators share the sweep; 0: none */
  const char *folder;
};

/* Builds the kernels and lists the shapes: those of the suite's `sweep` section, else its cases.
 * kernels[i] is arm i of the plan; both live in the project's arena. References without a kernel of
 * their operator and device are left out. A kernel or a reference that is absent is an arm with its
 * reason. Fails with PAWL_FAILED if one does not build, and with PAWL_UNAVAILABLE if no kernel can
 * run. */
pawl_status pawl_sweep_make_plan(struct pawl_project *project,
                                 const struct pawl_sweep_options *options,
                                 struct pawl_sweep_plan *plan, struct pawl_ready_kernel **kernels,
                                 struct pawl_error *err);

/* Returns the name of a kernel that can open files, so that the files of the repository belong to
 * its code; NULL: none can. */
const char *pawl_sweep_opener(const struct pawl_sweep_plan *plan,
                              const struct pawl_ready_kernel *kernels);

/* Compares a stored plan with a new one of the same options. Fails with PAWL_BAD_DATA, which names
 * the difference: a folder holds the blocks of one plan only. */
pawl_status pawl_sweep_same_plan(const struct pawl_sweep_plan *stored,
                                 const struct pawl_sweep_plan *now, const char *folder,
                                 struct pawl_error *err);
