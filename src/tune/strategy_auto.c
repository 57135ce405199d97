/* SPDX-License-Identifier: Apache-2.0 */
/* The bayesian strategy, with steps from the best results later on. A step helps if the model is
   wrong about the whole space. It starts from one of several best results, because an optimum
   that the model does not see is seldom beside the best one. */
#include <math.h>

#include "tune/search.h"
#include "tune/surrogate.h"

#define STEP_FROM 60u /* results */
#define STEP_CHANCE 0.3
#define PARENTS 5u       /* a step starts from one of these best results */
#define LEAST_CHANCE 0.5 /* a step goes to configurations that probably work */
#define HOPE 3.0         /* standard deviations by which a step may be faster than predicted */

struct step {
  size_t index; /* PAWL_NO_CONFIGURATION: none was found */
  double least; /* the least lower confidence bound so far */
};

/* Looks at the open neighbours of a configuration that probably work. */
static void look_around(const struct pawl_search *search, const struct pawl_surrogate *surrogate,
                        size_t parent, struct step *best) {
  struct pawl_neighbours neighbours = pawl_space_neighbours(search->space, parent);
  double mean, deviation;
  for (size_t index; (index = pawl_space_next_neighbour(&neighbours)) != PAWL_NO_CONFIGURATION;) {
    if (!pawl_search_is_open(search, index)) continue;
    if (!pawl_surrogate_predict(surrogate, index, &mean, &deviation))
      continue; /* it is not in the pool */
    if (pawl_surrogate_chance(surrogate, index) < LEAST_CHANCE) continue;
    if (mean - HOPE * deviation < best->least)
      *best = (struct step){index, mean - HOPE * deviation};
  }
}

/* Finds the neighbour of the best results with the least lower confidence bound: Cox and John,
   "A statistical method for global optimization", IEEE Conference on Systems, Man and
   Cybernetics, 1992. */
static size_t step(struct pawl_search *search, struct pawl_surrogate *surrogate) {
  size_t parents[PARENTS];
  struct step best = {PAWL_NO_CONFIGURATION, INFINITY};
  const size_t count = pawl_search_fastest(search, PARENTS, parents);
  pawl_surrogate_learn(surrogate, search);
  for (size_t i = 0; i < count; i++) look_around(search, surrogate, parents[i], &best);
  return best.index;
}

static size_t next(struct pawl_search *search, void *state) {
  if (search->tried_count >= STEP_FROM && search->best != PAWL_NO_CONFIGURATION &&
      pawl_random_double(&search->random) < STEP_CHANCE) {
    const size_t index = step(search, state);
    if (index != PAWL_NO_CONFIGURATION) return index;
  }
  return pawl_strategy_bayesian.next(search, state);
}

static void *start(struct pawl_search *search) { return pawl_strategy_bayesian.start(search); }

static bool strategy_auto_expect(struct pawl_search *search, void *state, const size_t *held,
                                 size_t count, double *responses) {
  return pawl_strategy_bayesian.expect(search, state, held, count, responses);
}

static void end(void *state) { pawl_strategy_bayesian.end(state); }

const struct pawl_strategy pawl_strategy_auto = {
    "auto",
    "bayesian, and sometimes a step from one of the best",
    14,
    start,
    next,
    end,
    .expect = strategy_auto_expect,
    .first = PAWL_SURROGATE_LEAST_FIRST_POINTS,
    .transfers = true};
