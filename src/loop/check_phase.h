/* SPDX-License-Identifier: Apache-2.0 */
/* The phase of a run that checks its kernels. */
#ifndef PAWL_LOOP_CHECK_PHASE_H
#define PAWL_LOOP_CHECK_PHASE_H

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"
#include "loop/early_pairs.h"

struct pawl_checked {
  struct pawl_report_check *reports; /* of the kernels that were checked */
  size_t count;
};

/* Checks the kernels that are ready. It leaves those out whose machine code is the baseline's and
   whose check passed before (loop/passed_check.h). A failure is said at once. A wrong kernel is not
   timed: it gets the outcome and the reason. Nor is one whose GPU is lost, which says nothing of
   it. The early pairs start on the way. */
pawl_status pawl_check_phase(struct pawl_project *project, const struct pawl_run_options *options,
                             const struct pawl_arm_pairs *pairs, struct pawl_early_pairs *early,
                             struct pawl_built *built, struct pawl_checked *out,
                             struct pawl_error *err);

#endif
