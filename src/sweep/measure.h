/* SPDX-License-Identifier: Apache-2.0 */
/* Measures blocks of one shape of a sweep. */
#pragma once

#include "sweep/crew.h"
#include "sweep/plan.h"

struct pawl_sweep_visitor {
  struct pawl_project *project;
  const struct pawl_ready_kernel *kernels; /* kernels[i] is arm i of the plan */
  struct pawl_sweep *sweep;                /* with the earlier blocks of the visited shapes */
  const char *journal;                     /* gets each block before the next; NULL: none */
  /* [point][PAWL_MAX_ARMS], in the order of the point's arms */
  struct pawl_verified (*verified)[PAWL_MAX_ARMS];
  struct pawl_sweep_crews crews;
};

/* Everything lives in the project's arena, but for processes: end with
 * pawl_sweep_visitor_release(). */
void pawl_sweep_visitor_init(struct pawl_sweep_visitor *visitor, struct pawl_project *project,
                             const struct pawl_ready_kernel *kernels, struct pawl_sweep *sweep);
void pawl_sweep_visitor_release(struct pawl_sweep_visitor *visitor);

/* Returns whether the next block of the point makes a call on fresh inputs on a GPU: the first
 * block does, others at random where no kernel can know it, and in the end as many as each shape
 * needs. `word` is random. */
bool pawl_sweep_takes_fresh(const struct pawl_sweep *sweep, size_t point, uint32_t word);

/* Adds up to PAWL_SWEEP_VISIT_BLOCKS blocks of a point to the sweep; fewer if the point is done or
 * the budget ends. */
pawl_status pawl_sweep_visit(struct pawl_sweep_visitor *visitor, size_t point,
                             struct pawl_error *err);
