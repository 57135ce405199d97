/* SPDX-License-Identifier: Apache-2.0 */
/* Measures blocks of one shape of a sweep. */
#pragma once

#include "measure/block_plan.h"
#include "sweep/plan.h"

#define PAWL_SWEEP_VISIT_BLOCKS 4 /* blocks of a shape, before another shape has its turn */

struct pawl_sweep_visitor {
  struct pawl_project *project;
  const struct pawl_ready_kernel *kernels; /* kernels[i] is arm i of the plan */
  struct pawl_sweep *sweep;                /* with the earlier blocks of the visited shapes */
  const char *journal;                     /* gets each block before the next; NULL: none */
  /* [point][PAWL_MAX_ARMS], in the order of the point's arms */
  struct pawl_verified (*verified)[PAWL_MAX_ARMS];
};

/* Everything lives in the project's arena. */
void pawl_sweep_visitor_init(struct pawl_sweep_visitor *visitor, struct pawl_project *project,
                             const struct pawl_ready_kernel *kernels, struct pawl_sweep *sweep);

/* Adds up to PAWL_SWEEP_VISIT_BLOCKS blocks of a point to the sweep; fewer if the point is done or
 * the budget ends. */
pawl_status pawl_sweep_visit(struct pawl_sweep_visitor *visitor, size_t point,
                             struct pawl_error *err);
