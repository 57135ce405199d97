/* SPDX-License-Identifier: Apache-2.0 */
/* pawl sweep: plans, measures, and writes the folder. */
#pragma once

#include "fleet/pool.h"
#include "sweep/folder.h"
#include "sweep/plan.h"

/* Writes the files of the folder anew from its plan and blocks, and measures nothing. */
pawl_status pawl_sweep_rewrite(const char *folder, const struct pawl_sweep_writing *writing,
                               struct pawl_arena *arena, struct pawl_sweep *sweep,
                               struct pawl_sweep_claims *out, struct pawl_error *err);

/* Resumes the sweep of options->folder, or begins one. At the end of the budget the folder has the
   claims so far. With a plan of a pool, its evaluators measure; NULL: this process does. *out lives
   in the project's arena. Fails with PAWL_TRY_AGAIN if another sweep writes to the folder. */
pawl_status pawl_sweep_run(struct pawl_project *project, const struct pawl_sweep_options *options,
                           const struct pawl_pool_plan *pool,
                           const struct pawl_sweep_writing *writing, struct pawl_sweep *sweep,
                           struct pawl_sweep_claims *out, struct pawl_error *err);
