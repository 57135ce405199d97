/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian, and from some results on now and then a step from one of the best, by chance: a way to go on where the
   model is mistaken about the whole space. From one of several: an optimum that no model sees is seldom beside the best
   so far. */
#include <string.h>

#include "tune/search.h"
#include "tune/surrogate.h"

#define STEP_FROM 40u /* results */
#define STEP_CHANCE 0.15
#define PARENTS 5u /* the best results, from one of which a step starts */

/* Any open configuration that differs from one of the best in one parameter; PAWL_NO_CONFIGURATION: there is none. */
static size_t neighbour(struct pawl_search *search) {
  const struct pawl_space *space = search->space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  size_t parents[PARENTS], chosen = PAWL_NO_CONFIGURATION;
  uint32_t open = 0;
  const size_t parent = pawl_random_below(&search->random, (uint32_t)pawl_search_fastest(search, PARENTS, parents));
  memcpy(at, pawl_space_at(space, parents[parent]), space->axis_count * sizeof *at);
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    const uint16_t own = at[axis];
    for (size_t value = 0; value < space->axes[axis].count; value++) {
      at[axis] = (uint16_t)value;
      const size_t index = pawl_space_find(space, at);
      if (index == PAWL_NO_CONFIGURATION || !pawl_search_is_open(search, index)) continue;
      if (!pawl_random_below(&search->random, ++open)) chosen = index; /* each alike: reservoir sampling */
    }
    at[axis] = own;
  }
  return chosen;
}

static size_t next(struct pawl_search *search, void *state) {
  if (search->tried_count >= STEP_FROM && search->best != PAWL_NO_CONFIGURATION &&
      pawl_random_double(&search->random) < STEP_CHANCE) {
    const size_t index = neighbour(search);
    if (index != PAWL_NO_CONFIGURATION) return index;
  }
  return pawl_strategy_bayesian.next(search, state);
}

static void *start(struct pawl_search *search) {
  return pawl_strategy_bayesian.start(search);
}

static void end(void *state) {
  pawl_strategy_bayesian.end(state);
}

const struct pawl_strategy pawl_strategy_auto = {"auto",
                                                 "bayesian, and sometimes a step from one of the best",
                                                 6,
                                                 start,
                                                 next,
                                                 end,
                                                 .first = PAWL_SURROGATE_LEAST_FIRST_POINTS,
                                                 .transfers = true};
