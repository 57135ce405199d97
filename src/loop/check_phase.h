/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the kernels of a run. */
#pragma once

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"
#include "loop/early_pairs.h"

struct pawl_checked {
  struct pawl_report_check *reports; /* one for each kernel that pawl checked */
  size_t count;
};

/* Checks the ready kernels, and prints each failure at once. It skips kernels whose machine code is
   the baseline's and whose check has passed before (loop/passed_check.h). A wrong kernel gets the
   outcome and the reason, and pawl does not time it. The same holds for a kernel that refuses
   shapes which the base takes (loop/shape_base.h). pawl does not time a kernel whose GPU is lost
   either, but does not call it wrong. The early pairs start during the check. */
pawl_status pawl_check_phase(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                             struct pawl_early_pairs *early, struct pawl_built *built,
                             struct pawl_checked *out, struct pawl_error *err);
