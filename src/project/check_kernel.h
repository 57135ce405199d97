/* SPDX-License-Identifier: Apache-2.0 */
/* Checks ready kernels against their operators' expected values. */
#pragma once

#include "check/kernel_check.h"
#include "project/kernels.h"

struct pawl_check_selection {
  const char *only_case; /* NULL: all cases and the matrix */
  /* --set: values that replace those of the cases, without the matrix; NULL: none */
  const char *assignments;
  bool show_output;         /* the kernel's output goes to standard error at once */
  const char *const *under; /* a debugger's command that starts the kernel's process; NULL: none */
  /* the seed, the rows and the hooks; pawl_ready_check_options() fills in the others */
  struct pawl_check_options check;
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

/* Adds a line for each dtype of a check's rows if a reference or the base answered: their outputs
   are only as precise as the dtype, so a reader must know of them, and of the tolerance. */
pawl_status pawl_oracle_precision(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                  const struct pawl_check_report *report, struct pawl_strings *out,
                                  struct pawl_error *err);

/* Fills in the worker, operator, cases and limits of a check of a ready kernel, and leaves the
   other members alone. `only_case` and `assignments` may be NULL. */
pawl_status pawl_ready_check_options(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, const char *only_case,
                                     const char *assignments, struct pawl_check_options *out,
                                     struct pawl_error *err);
