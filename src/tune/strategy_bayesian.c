/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian optimisation: it asks for the configuration with the largest expected improvement
   under a surrogate of the whole space. */
#include "tune/search.h"
#include "tune/surrogate.h"

/* with fewer results, the order of the questions is better than the expected times */
#define KNOWS_FROM 4u

static void *start(struct pawl_search *search) {
  return pawl_surrogate_new(search, PAWL_RESPONSE_SEARCH);
}

/* Returns whether the next question is one of the first points, which cover the space. */
static bool is_one_of_first(const struct pawl_search *search) {
  if (pawl_surrogate_is_guided(search)) return false;
  if (search->best == PAWL_NO_CONFIGURATION) return true;
  const size_t first = pawl_surrogate_first_points(search->space) + search->suggested_count;
  return search->tried_count + search->held_count < first;
}

static size_t next(struct pawl_search *search, void *state) {
  pawl_surrogate_learn(state, search);
  if (is_one_of_first(search)) return pawl_surrogate_explore(state, search);
  const size_t index = pawl_surrogate_best(state, search);
  return index != PAWL_NO_CONFIGURATION ? index : pawl_search_draw(search);
}

static bool strategy_bayesian_expect(struct pawl_search *search, void *state, const size_t *held,
                                     size_t count, double *responses) {
  bool known = search->tried_count >= KNOWS_FROM;
  double deviation;
  if (known) pawl_surrogate_catch_up(state, search);
  for (size_t i = 0; i < count && known; i++)
    known = pawl_surrogate_predict(state, held[i], &responses[i], &deviation);
  return known;
}

static void end(void *state) { pawl_surrogate_free(state); }

const struct pawl_strategy pawl_strategy_bayesian = {
    "bayesian",
    "expected improvement under a Gaussian process",
    14,
    start,
    next,
    end,
    .expect = strategy_bayesian_expect,
    .first = PAWL_SURROGATE_LEAST_FIRST_POINTS,
    .transfers = true};
