/* SPDX-License-Identifier: Apache-2.0 */
/* Searches a space: proposes a configuration and receives its result. All random numbers come from
 * the seed, so the same answers lead to the same questions. This makes a search resumable. */
#pragma once

#include <stdbool.h>

#include "base/philox.h"
#include "tune/space.h"
#include "tune/strategy.h"

/* A configuration with its time in an earlier search. */
struct pawl_search_known {
  size_t index;
  double time;
};

struct pawl_search {
  const struct pawl_space *space;
  const struct pawl_strategy *strategy;
  void *state; /* the state of the strategy */
  struct pawl_random random;
  double *values; /* [space->count]: NaN: not tried; infinity: failed; else the time */
  size_t *tried;  /* in the order of trying */
  size_t tried_count;
  size_t *held; /* asked and not answered, in the order of asking */
  size_t held_count, held_room;
  size_t best;       /* PAWL_NO_CONFIGURATION: none works yet */
  size_t *suggested; /* the first questions, before the strategy's own */
  size_t suggested_count, suggested_next;
  struct pawl_search_known *known; /* results of an earlier search, the fastest first */
  size_t known_count;
  uint32_t *shuffled;   /* for pawl_search_draw; allocated on first use */
  size_t shuffled_next; /* the entries before this one are drawn */
};

/* The caller keeps the space until the release. PAWL_USAGE names the nearest strategy. */
pawl_status pawl_search_init(struct pawl_search *search, const struct pawl_space *space,
                             const char *strategy, uint64_t seed, struct pawl_error *err);
void pawl_search_release(struct pawl_search *search);

/* Returns the configuration to try next, or PAWL_NO_CONFIGURATION if all are tried. */
size_t pawl_search_next(struct pawl_search *search);
/* Returns the number of next questions, at least 1, that do not depend on any answer. Asking them
 * together costs nothing. */
size_t pawl_search_first(const struct pawl_search *search);
/* Sets the first questions, in this order. */
void pawl_search_suggest(struct pawl_search *search, const size_t *indices, size_t count);
/* Gives the results of an earlier search, the fastest first. They guide a few questions of a
   strategy with a model of the whole space. */
void pawl_search_learn_known(struct pawl_search *search, const struct pawl_search_known *known,
                             size_t count);
/* Marks a configuration whose evaluation has begun. Until its result comes, the search asks for
   others. */
void pawl_search_hold(struct pawl_search *search, size_t index);
/* Sorts held configurations by the expected time after all answers so far, the fastest first.
   Call it again after each answer. The order stays if the strategy has no expectation of one of
   them. */
void pawl_search_order(struct pawl_search *search, size_t *held, size_t count);
/* Gives the result: a positive time, or NaN for a failure. It accepts configurations that no
   question asked for, such as the current parameters. */
void pawl_search_tell(struct pawl_search *search, size_t index, double value);

/* These are for strategies. */
bool pawl_search_is_tried(const struct pawl_search *search, size_t index);
bool pawl_search_has_failed(const struct pawl_search *search, size_t index);
/* Returns whether the configuration is neither tried nor held. */
bool pawl_search_is_open(const struct pawl_search *search, size_t index);
/* Writes the fastest working configurations, at most `limit`, the fastest first. Returns their
   number. */
size_t pawl_search_fastest(const struct pawl_search *search, size_t limit, size_t *out);
/* Returns a random open configuration. At least one must be open. */
size_t pawl_search_draw(struct pawl_search *search);
