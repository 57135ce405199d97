/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/search.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "tune/strategy.h"

const struct pawl_strategy pawl_strategies[] = {
    {"auto", "the Gaussian process, and each fourth time annealing", pawl_search_auto},
    {"exhaustive", "all, in order", pawl_search_exhaustive},
    {"random", "all, in random order", pawl_search_random},
    {"annealing", "simulated annealing", pawl_search_annealing},
    {"bayesian", "expected improvement under a Gaussian process", pawl_search_bayesian},
};
const size_t pawl_strategy_count = sizeof pawl_strategies / sizeof *pawl_strategies;

static pawl_status find_strategy(const char *name, const struct pawl_strategy **out, struct pawl_error *err) {
  const char *names[sizeof pawl_strategies / sizeof *pawl_strategies];
  for (size_t i = 0; i < pawl_strategy_count; i++) {
    names[i] = pawl_strategies[i].name;
    if (strcmp(name, names[i]) != 0) continue;
    *out = &pawl_strategies[i];
    return PAWL_OK;
  }
  const char *nearest = pawl_nearest(name, names, pawl_strategy_count);
  if (nearest) return pawl_fail(err, PAWL_USAGE, "no strategy '%s'; did you mean '%s'?", name, nearest);
  return pawl_fail(err, PAWL_USAGE, "no strategy '%s'; there are auto, exhaustive, random, annealing and bayesian",
                   name);
}

pawl_status pawl_search_init(struct pawl_search *search, const struct pawl_space *space, const char *strategy,
                             uint64_t seed, size_t expected, struct pawl_error *err) {
  const struct pawl_strategy *found = NULL;
  PAWL_TRY(find_strategy(strategy, &found, err));
  *search = (struct pawl_search){.space = space,
                                 .strategy = found,
                                 .expected = expected ? expected : PAWL_SEARCH_EXPECTED,
                                 .random = pawl_random_init(seed, 0),
                                 .best = PAWL_NO_CONFIGURATION,
                                 .walker = PAWL_NO_CONFIGURATION};
  search->values = pawl_alloc(space->count, sizeof *search->values);
  search->tried = pawl_alloc(space->count, sizeof *search->tried);
  for (size_t i = 0; i < space->count; i++) search->values[i] = NAN;
  return PAWL_OK;
}

void pawl_search_release(struct pawl_search *search) {
  if (!search) return;
  pawl_free(search->values);
  pawl_free(search->tried);
  pawl_free(search->shuffled);
  pawl_search_model_free(search->model);
  *search = (struct pawl_search){0};
}

size_t pawl_search_next(struct pawl_search *search) {
  if (search->tried_count == search->space->count) return PAWL_NO_CONFIGURATION;
  const size_t index = search->strategy->next(search);
  PAWL_ASSERT(index < search->space->count && !pawl_search_is_tried(search, index));
  return index;
}

void pawl_search_tell(struct pawl_search *search, size_t index, double value) {
  const bool works = value > 0 && isfinite(value);
  PAWL_ASSERT(index < search->space->count);
  if (!pawl_search_is_tried(search, index)) search->tried[search->tried_count++] = index;
  search->values[index] = works ? value : INFINITY;
  if (works && (search->best == PAWL_NO_CONFIGURATION || value < search->values[search->best])) search->best = index;
}

/* --- the simple strategies --- */

size_t pawl_search_exhaustive(struct pawl_search *search) {
  size_t index = 0;
  while (pawl_search_is_tried(search, index)) index++;
  return index;
}

size_t pawl_search_random(struct pawl_search *search) {
  const size_t count = search->space->count;
  if (!search->shuffled) {
    search->shuffled = pawl_alloc(count, sizeof *search->shuffled);
    for (size_t i = 0; i < count; i++) search->shuffled[i] = (uint32_t)i;
  }
  for (;;) { /* Fisher and Yates, a draw at a time; others may have tried what is drawn */
    const size_t at = search->shuffled_next++;
    const size_t other = at + pawl_random_below(&search->random, (uint32_t)(count - at));
    const uint32_t drawn = search->shuffled[other];
    search->shuffled[other] = search->shuffled[at];
    search->shuffled[at] = drawn;
    if (!pawl_search_is_tried(search, drawn)) return drawn;
  }
}

#define STEP_EVERY 4u /* questions: one of the annealing, which finds its way where the process is mistaken */

size_t pawl_search_auto(struct pawl_search *search) {
  return search->tried_count % STEP_EVERY == 0 ? pawl_search_annealing(search) : pawl_search_bayesian(search);
}
