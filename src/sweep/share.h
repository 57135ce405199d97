/* SPDX-License-Identifier: Apache-2.0 */
/* Shares the shapes of a sweep among evaluators. This process needs no device: it hands out visits
   of shapes and keeps the journal. All arms of a block run on one device, so a ratio is one of
   times of one device. */
#pragma once

#include "fleet/pool.h"
#include "sweep/plan.h"

/* Opens the folder with the plan of the first evaluator, and measures until each point is done or
 * the budget ends. Evaluators with another plan do not take part. The struct `sweep` must be zero;
 * release it, also after a failure. Fails with PAWL_UNAVAILABLE if no evaluator is left. */
pawl_status pawl_sweep_share(struct pawl_project *project, const struct pawl_sweep_options *options,
                             const struct pawl_pool_plan *plan, struct pawl_sweep *sweep,
                             struct pawl_error *err);
