/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian optimisation: the configuration of the largest expected improvement under a surrogate of the whole space. */
#include "tune/search.h"
#include "tune/surrogate.h"

#define KNOWS_FROM 10u /* results, from which an expected time is worth more than the order of the questions */

static void *start(struct pawl_search *search) {
  return pawl_surrogate_new(search, PAWL_RESPONSE_SEARCH);
}

static size_t next(struct pawl_search *search, void *state) {
  const size_t guided = search->known_count ? PAWL_SURROGATE_KNOWN_QUESTIONS : 0;
  pawl_surrogate_learn(state, search);
  const size_t first = pawl_surrogate_first_points(search->space) + search->suggested_count;
  const size_t spread = search->tried_count + (guided ? 0 : search->held_count); /* what waits may follow a record */
  if (!pawl_surrogate_is_guided(search) && (search->best == PAWL_NO_CONFIGURATION || spread < guided + first))
    return pawl_surrogate_explore(state, search);
  const size_t index = pawl_surrogate_best(state, search);
  return index != PAWL_NO_CONFIGURATION ? index : pawl_search_draw(search);
}

static bool expect(const struct pawl_search *search, const void *state, size_t index, double *response) {
  double deviation;
  return search->tried_count >= KNOWS_FROM && pawl_surrogate_predict(state, index, response, &deviation);
}

static void end(void *state) {
  pawl_surrogate_free(state);
}

const struct pawl_strategy pawl_strategy_bayesian = {"bayesian",
                                                     "expected improvement under a Gaussian process",
                                                     12,
                                                     start,
                                                     next,
                                                     end,
                                                     .expect = expect,
                                                     .first = PAWL_SURROGATE_LEAST_FIRST_POINTS,
                                                     .transfers = true};
