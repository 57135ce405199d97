/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the kernels of a run. */
#pragma once

#include "project/kernels.h"
#include "project/selection.h"
#include "record/run_report.h"

struct pawl_built {
  struct pawl_ready_kernel *kernels; /* all kernels of this run and its references */
  size_t count;
  struct pawl_report_build *reports; /* one for each kernel that pawl compiled */
  size_t report_count;
};

/* Begins what the kernels need and takes long: the imports of scripts in Python. */
void pawl_build_foresee(struct pawl_project *project, const struct pawl_selection *selection);
/* Builds the kernels that have a case in the selection. A failed build is an outcome, not an
   error. */
pawl_status pawl_build_phase(struct pawl_project *project, const struct pawl_selection *selection,
                             struct pawl_built *out, struct pawl_error *err);
