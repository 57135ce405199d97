/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies, private to this room. Each finds a configuration that was not tried; the caller made sure there is
   one. */
#ifndef PAWL_TUNE_STRATEGY_H
#define PAWL_TUNE_STRATEGY_H

#include <math.h>

#include "tune/search.h"

size_t pawl_search_exhaustive(struct pawl_search *search);
size_t pawl_search_random(struct pawl_search *search);
/* Simulated annealing: a walker that changes few parameters at a time and seldom goes back to worse ones. */
size_t pawl_search_annealing(struct pawl_search *search);
/* Expected improvement under a Gaussian process of the logarithm of time, times the chance that it works. */
size_t pawl_search_bayesian(struct pawl_search *search);
/* The process, and each fourth time annealing. */
size_t pawl_search_auto(struct pawl_search *search);

void pawl_search_model_free(struct pawl_search_model *model);

static inline bool pawl_search_is_tried(const struct pawl_search *search, size_t index) {
  return !isnan(search->values[index]);
}

#endif
