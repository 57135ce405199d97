/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies of a search. Each has a file, a declaration below and a row in strategy.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pawl_search;

struct pawl_strategy {
  const char *name, *summary;
  /* It grows with each version that asks other questions for the same answers. A journal names
     it, unless it is 0. */
  unsigned version;
  /* Makes the state of one search, before its first question; NULL: there is none. */
  void *(*start)(struct pawl_search *search);
  /* Returns a configuration that was not tried. At least one is open. */
  size_t (*next)(struct pawl_search *search, void *state);
  void (*end)(void *state);
  /* Predicts responses of held configurations from all answers so far; less is faster, in any
     unit. False: it cannot predict one of them. NULL: it never can. */
  bool (*expect)(struct pawl_search *search, void *state, const size_t *held, size_t count,
                 double *responses);
  /* the number of results before the questions depend on times; SIZE_MAX: they never do */
  size_t first;
  /* it learns from all results of an earlier search; the others only ask for its best */
  bool transfers;
};

extern const struct pawl_strategy pawl_strategy_auto;
extern const struct pawl_strategy pawl_strategy_bayesian;
extern const struct pawl_strategy pawl_strategy_exhaustive;
extern const struct pawl_strategy pawl_strategy_random;

extern const struct pawl_strategy *const pawl_strategies[];
extern const size_t pawl_strategy_count;

/* Finds a strategy. If there is none, PAWL_USAGE names the nearest one, or all. */
pawl_status pawl_strategy_find(const char *name, const struct pawl_strategy **out,
                               struct pawl_error *err);
