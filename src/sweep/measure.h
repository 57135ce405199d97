/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a sweep, block by block, until each point is done or the budget ends. */
#pragma once

#include "sweep/plan.h"

/* Appends each block to the journal of the folder and to `sweep`, which may have blocks of earlier
   runs. The points come in random order, a few blocks at a time, so that a slow change of the
   machine meets all of them. At the end of the budget the blocks so far stay. */
pawl_status pawl_sweep_measure(struct pawl_project *project,
                               const struct pawl_ready_kernel *kernels, const char *folder,
                               struct pawl_sweep *sweep, struct pawl_error *err);
