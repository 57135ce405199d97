/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussian process, and each fourth time annealing, which finds its way where the process is mistaken. */
#include "base/memory.h"
#include "tune/search.h"

#define STEP_EVERY 4u /* questions: one of the annealing */

struct both {
  void *annealing, *bayesian;
};

static void *start(const struct pawl_search *search) {
  struct both *both = pawl_alloc(1, sizeof *both);
  both->annealing = pawl_strategy_annealing.start(search);
  both->bayesian = pawl_strategy_bayesian.start(search);
  return both;
}

static size_t next(struct pawl_search *search, void *state) {
  struct both *both = state;
  if (search->tried_count % STEP_EVERY == 0) return pawl_strategy_annealing.next(search, both->annealing);
  return pawl_strategy_bayesian.next(search, both->bayesian);
}

static void end(void *state) {
  struct both *both = state;
  pawl_strategy_annealing.end(both->annealing);
  pawl_strategy_bayesian.end(both->bayesian);
  pawl_free(both);
}

const struct pawl_strategy pawl_strategy_auto = {"auto", "bayesian, and every fourth time annealing", start, next, end};
