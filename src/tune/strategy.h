/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies of a search: a file, a declaration below and a row of strategy.c each. */
#ifndef PAWL_TUNE_STRATEGY_H
#define PAWL_TUNE_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pawl_search;

struct pawl_strategy {
  const char *name, *summary;
  unsigned version; /* 0 at first; it grows when the same answers lead to other questions: a journal
                       names it */
  /* What the strategy itself keeps of one search, made before its first question; NULL: nothing. */
  void *(*start)(struct pawl_search *search);
  /* A configuration that was not tried; there is one. */
  size_t (*next)(struct pawl_search *search, void *state);
  void (*end)(void *state);
  /* What it expects of configurations that are held, after all answers so far: less is faster, in
     any unit. False: it knows nothing of one of them. NULL: it never does. */
  bool (*expect)(struct pawl_search *search, void *state, const size_t *held, size_t count,
                 double *responses);
  size_t first; /* results, told ones included, before which no time changes what it asks; SIZE_MAX:
                   none ever does */
  bool transfers; /* it learns from all that an earlier search knew; the others only ask for its
                     best */
};

extern const struct pawl_strategy pawl_strategy_auto;
extern const struct pawl_strategy pawl_strategy_bayesian;
extern const struct pawl_strategy pawl_strategy_exhaustive;
extern const struct pawl_strategy pawl_strategy_random;

extern const struct pawl_strategy *const pawl_strategies[];
extern const size_t pawl_strategy_count;

/* PAWL_USAGE names the nearest strategy, or all. */
pawl_status pawl_strategy_find(const char *name, const struct pawl_strategy **out,
                               struct pawl_error *err);

#endif
