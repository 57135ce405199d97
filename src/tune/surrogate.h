/* SPDX-License-Identifier: Apache-2.0 */
/* What a search believes about the whole space: a Gaussian process of time over every configuration
   at once, and apart from it whether a configuration works at all.

   What the process learns of a result is the response. The pool is the whole space, or of a large
   one a sample and the neighbours of the best. */
#ifndef PAWL_TUNE_SURROGATE_H
#define PAWL_TUNE_SURROGATE_H

#include "tune/gaussian.h"
#include "tune/search.h"

#define PAWL_SURROGATE_LEAST_FIRST_POINTS 2u
#define PAWL_SURROGATE_LARGEST_POOL 20000u

enum pawl_response {
  PAWL_RESPONSE_SEARCH,   /* half the normal score of its rank, half log(1 + log(time / best time)),
                             bent to a limit */
  PAWL_RESPONSE_LOG_TIME, /* for a report: log(time / best time); one fit goes as far as it can */
};

struct pawl_surrogate;

struct pawl_surrogate *pawl_surrogate_new(struct pawl_search *search, enum pawl_response response);
void pawl_surrogate_free(struct pawl_surrogate *surrogate);

/* Learns what the search got since the last call; what it holds counts as what is believed of it.
 */
void pawl_surrogate_learn(struct pawl_surrogate *surrogate, struct pawl_search *search);
/* The same, where an answer came since. */
void pawl_surrogate_catch_up(struct pawl_surrogate *surrogate, struct pawl_search *search);

/* The configuration that promises most: expected improvement times the chance to work, and rather
   one of round numbers and, of few results, one far from what is held. While few results are in and
   others wait, the deviation counts more. PAWL_NO_CONFIGURATION: all of the pool were tried. */
size_t pawl_surrogate_best(const struct pawl_surrogate *surrogate,
                           const struct pawl_search *search);
/* What is believed of a configuration of the pool: the response, mean and standard deviation.
   False: it is not in the pool. */
bool pawl_surrogate_predict(const struct pawl_surrogate *surrogate, size_t index, double *mean,
                            double *deviation);
/* The chance that a configuration of the pool works; 1: it is not in the pool. */
double pawl_surrogate_chance(const struct pawl_surrogate *surrogate, size_t index);
/* Whether what an earlier search knew guides the next question: it guides the first and some later
 * ones. */
bool pawl_surrogate_is_guided(const struct pawl_search *search);
/* How many configurations are spread over the space before the surrogate is asked, besides what was
   suggested: the more parameters, the more, and at least PAWL_SURROGATE_LEAST_FIRST_POINTS. */
size_t pawl_surrogate_first_points(const struct pawl_space *space);
/* For these first questions: of a few configurations drawn by chance, the one from which most is
   learnt about the others, and rather one of round numbers. */
size_t pawl_surrogate_explore(struct pawl_surrogate *surrogate, struct pawl_search *search);

#endif
