/* SPDX-License-Identifier: Apache-2.0 */
/* A search through a space: it proposes the next configuration and gets the result. It draws all
   chance from its seed: the same answers lead to the same questions, which is what makes a search
   resumable. */
#ifndef PAWL_TUNE_SEARCH_H
#define PAWL_TUNE_SEARCH_H

#include <stdbool.h>

#include "base/philox.h"
#include "tune/space.h"
#include "tune/strategy.h"

/* A configuration that an earlier search timed. */
struct pawl_search_known {
  size_t index;
  double time;
};

struct pawl_search {
  const struct pawl_space *space;
  const struct pawl_strategy *strategy;
  void *state; /* the strategy's own */
  struct pawl_random random;
  double *values; /* [space->count]: NaN: not tried; infinity: failed; else the value */
  size_t *tried;  /* in order */
  size_t tried_count;
  size_t *held; /* asked for, not answered yet; in the order they were asked */
  size_t held_count, held_room;
  size_t best;       /* PAWL_NO_CONFIGURATION: none that works yet */
  size_t *suggested; /* to be asked before the strategy is */
  size_t suggested_count, suggested_next;
  struct pawl_search_known *known; /* of an earlier search, the fastest first */
  size_t known_count;
  uint32_t *shuffled;   /* of pawl_search_draw; made on first use */
  size_t shuffled_next; /* those before it were drawn */
};

/* The caller keeps the space until the release. PAWL_USAGE names the nearest strategy. */
pawl_status pawl_search_init(struct pawl_search *search, const struct pawl_space *space,
                             const char *strategy, uint64_t seed, struct pawl_error *err);
void pawl_search_release(struct pawl_search *search);

/* What to try; PAWL_NO_CONFIGURATION when all were. */
size_t pawl_search_next(struct pawl_search *search);
/* How many questions from now on no answer changes, at least 1: these may be asked together at no
 * loss. */
size_t pawl_search_first(const struct pawl_search *search);
/* What to ask first, in this order. */
void pawl_search_suggest(struct pawl_search *search, const size_t *indices, size_t count);
/* What an earlier search knew, the fastest first. In a strategy with a model of the whole space it
   guides a few questions, as far as the results agree. */
void pawl_search_learn_known(struct pawl_search *search, const struct pawl_search_known *known,
                             size_t count);
/* The configuration is being evaluated: the search asks for others until it is told how it went. */
void pawl_search_hold(struct pawl_search *search, size_t index);
/* Puts configurations that are held in the order in which to answer them: the one first that all
   answers so far make expect the fastest, so it is asked anew after each. Where nothing is known of
   one of them, the order stays. */
void pawl_search_order(struct pawl_search *search, size_t *held, size_t count);
/* How it went: a positive time, or NaN when it failed. Also of what no question asked for: of the
 * current parameters.
 */
void pawl_search_tell(struct pawl_search *search, size_t index, double value);

/* For strategies. */
bool pawl_search_is_tried(const struct pawl_search *search, size_t index);
bool pawl_search_has_failed(const struct pawl_search *search, size_t index);
/* Neither tried nor held. */
bool pawl_search_is_open(const struct pawl_search *search, size_t index);
/* The at most `most` fastest that work, the fastest first; returns how many. */
size_t pawl_search_fastest(const struct pawl_search *search, size_t limit, size_t *out);
/* Any open configuration, by chance; there is one. */
size_t pawl_search_draw(struct pawl_search *search);

#endif
