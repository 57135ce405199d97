/* SPDX-License-Identifier: Apache-2.0 */
/* A genetic algorithm: Holland, "Adaptation in Natural and Artificial Systems", 1975, in its
   steady-state form: the population is the fastest results so far, and each question is one child
   of two of them. */
#include <string.h>

#include "base/memory.h"
#include "tune/search.h"

#define POPULATION 12u
#define FIRST_POINTS 12u /* by chance */
#define RIVALS 3u        /* of a tournament: the fastest becomes a parent */
#define MUTATION 1.0   /* values that change, on average, in a child: by a step, or to any other */
#define PATIENCE 2000u /* children that are no open configuration before chance decides */

struct generation {
  size_t members[POPULATION]; /* the fastest first */
  size_t count;
};

static void *start(struct pawl_search *search) {
  (void)search;
  return pawl_alloc(1, sizeof(struct generation));
}

/* The members are in order: the smallest of a few draws is the fastest of a few. */
static size_t parent(struct pawl_search *search, const struct generation *generation) {
  uint32_t chosen = pawl_random_below(&search->random, (uint32_t)generation->count);
  for (unsigned i = 1; i < RIVALS; i++) {
    const uint32_t rival = pawl_random_below(&search->random, (uint32_t)generation->count);
    if (rival < chosen) chosen = rival;
  }
  return generation->members[chosen];
}

static uint16_t mutate(struct pawl_search *search, const struct pawl_tune_axis *axis,
                       uint16_t value) {
  const uint32_t draw = pawl_random_below(&search->random, 4);
  if (draw == 0 && value + 1u < axis->count) return (uint16_t)(value + 1);
  if (draw == 1 && value > 0) return (uint16_t)(value - 1);
  return (uint16_t)pawl_random_below(&search->random, (uint32_t)axis->count);
}

static size_t child(struct pawl_search *search, const struct generation *generation) {
  const struct pawl_space *space = search->space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  const uint16_t *mother = pawl_space_at(space, parent(search, generation));
  const uint16_t *father = pawl_space_at(space, parent(search, generation));
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    at[axis] = pawl_random_u32(&search->random) & 1 ? mother[axis] : father[axis];
    if (pawl_random_double(&search->random) * (double)space->axis_count < MUTATION)
      at[axis] = mutate(search, &space->axes[axis], at[axis]);
  }
  return pawl_space_find(space, at);
}

static size_t next(struct pawl_search *search, void *state) {
  struct generation *generation = state;
  generation->count = pawl_search_fastest(search, POPULATION, generation->members);
  if (search->tried_count < FIRST_POINTS || !generation->count) return pawl_search_draw(search);
  for (size_t i = 0; i < PATIENCE; i++) {
    const size_t index = child(search, generation);
    if (index != PAWL_NO_CONFIGURATION && pawl_search_is_open(search, index)) return index;
  }
  return pawl_search_draw(search);
}

const struct pawl_strategy pawl_strategy_genetic = {
    "genetic", "a genetic algorithm", 0, start, next, pawl_free};
