/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated annealing: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science
   220, 1983. What was tried already is walked over for free. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "tune/search.h"

#define HOT 0.1       /* the relative loss that is accepted with probability 1/e: at first ... */
#define COLD 1e-4     /* ... and at the end */
#define CHANGE 0.2    /* the chance that a move draws an axis anew */
#define PATIENCE 100u /* moves without anything new before the walker starts elsewhere */
#define MOST_MOVES 100000u /* of one question; after them chance decides */

struct walk {
  size_t walker; /* where it stands; PAWL_NO_CONFIGURATION: nowhere yet */
  size_t stuck;  /* moves since it found anything new */
};

static void *start(struct pawl_search *search) {
  (void)search;
  struct walk *walk = pawl_alloc(1, sizeof *walk);
  walk->walker = PAWL_NO_CONFIGURATION;
  return walk;
}

static double temperature(const struct pawl_search *search) {
  const double done = fmin((double)search->tried_count / (double)search->expected, 1);
  return HOT * pow(COLD / HOT, done);
}

/* A neighbour: some axes are drawn anew, one goes a step up or down. PAWL_NO_CONFIGURATION: it is
 * not in the space. */
static size_t move(struct pawl_search *search, const struct walk *walk) {
  const struct pawl_space *space = search->space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  memcpy(at, pawl_space_at(space, walk->walker), space->axis_count * sizeof *at);
  for (size_t i = 0; i < space->axis_count; i++) {
    if (pawl_random_double(&search->random) >= CHANGE) continue;
    at[i] = (uint16_t)pawl_random_below(&search->random, (uint32_t)space->axes[i].count);
  }
  const size_t axis = pawl_random_below(&search->random, (uint32_t)space->axis_count);
  const bool up = pawl_random_u32(&search->random) & 1;
  if (up && at[axis] + 1u < space->axes[axis].count) at[axis]++;
  if (!up && at[axis] > 0) at[axis]--;
  return pawl_space_find(space, at);
}

static bool accepts(struct pawl_search *search, const struct walk *walk, size_t index) {
  const double here = search->values[walk->walker], there = search->values[index];
  if (!isfinite(here) || there <= here) return true;
  const double loss = (there - here) / here;
  return pawl_random_double(&search->random) < exp(-loss / temperature(search));
}

static size_t next(struct pawl_search *search, void *state) {
  struct walk *walk = state;
  if (walk->walker == PAWL_NO_CONFIGURATION) {
    walk->walker = search->best;
    if (walk->walker == PAWL_NO_CONFIGURATION) return walk->walker = pawl_search_draw(search);
  } else if (search->tried_count && search->best != PAWL_NO_CONFIGURATION) {
    const size_t last = search->tried[search->tried_count - 1];
    if (accepts(search, walk, last)) walk->walker = last;
  }
  for (size_t moves = 0; moves < MOST_MOVES; moves++) {
    const size_t index = move(search, walk);
    if (index == PAWL_NO_CONFIGURATION || index == walk->walker) continue;
    if (pawl_search_is_open(search, index)) {
      walk->stuck = 0;
      return index;
    }
    if (pawl_search_is_tried(search, index) && accepts(search, walk, index)) walk->walker = index;
    if (++walk->stuck > PATIENCE) break;
  }
  walk->stuck = 0;
  return walk->walker = pawl_search_draw(search);
}

const struct pawl_strategy pawl_strategy_annealing = {
    "annealing", "simulated annealing", 0, start, next, pawl_free};
