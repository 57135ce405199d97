/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a search: a Gaussian process predicts the response of every configuration, and a
   second model predicts whether a configuration works. The response is a function of the
   measured time. The pool is the whole space, or in a large space a sample and the neighbours of
   the best results. */
#pragma once

#include "tune/gaussian.h"
#include "tune/search.h"

#define PAWL_SURROGATE_LEAST_FIRST_POINTS 2u
#define PAWL_SURROGATE_LARGEST_POOL 20000u

enum pawl_response {
  /* half the normal score of its rank, half log(1 + log(time / best time)), bent to a limit */
  PAWL_RESPONSE_SEARCH,
  PAWL_RESPONSE_LOG_TIME, /* for a report: log(time / best time); one fit goes as far as it can */
};

struct pawl_surrogate;

struct pawl_surrogate *pawl_surrogate_new(struct pawl_search *search, enum pawl_response response);
void pawl_surrogate_free(struct pawl_surrogate *surrogate);

/* Learns the results since the last call. A held configuration counts with its predicted mean. */
void pawl_surrogate_learn(struct pawl_surrogate *surrogate, struct pawl_search *search);
/* Does the same, but only if an answer came since the last call. */
void pawl_surrogate_catch_up(struct pawl_surrogate *surrogate, struct pawl_search *search);

/* Returns the most promising configuration: the expected improvement times the probability of
 * working. Round numbers count more, and after few results the distance from held configurations
 * counts too. Returns PAWL_NO_CONFIGURATION if the whole pool is tried. */
size_t pawl_surrogate_best(const struct pawl_surrogate *surrogate,
                           const struct pawl_search *search);
/* Predicts the response of a configuration, as mean and standard deviation. Returns false if it is
 * not in the pool. */
bool pawl_surrogate_predict(const struct pawl_surrogate *surrogate, size_t index, double *mean,
                            double *deviation);
/* Returns the probability that a configuration of the pool works, or 1 if it is not in the pool. */
double pawl_surrogate_chance(const struct pawl_surrogate *surrogate, size_t index);
/* Returns whether the results of an earlier search guide the next question: they guide the first
 * ones and some later ones. */
bool pawl_surrogate_is_guided(const struct pawl_search *search);
/* Returns the number of first points beside the suggested ones. It grows with the number of
 * parameters, and is at least PAWL_SURROGATE_LEAST_FIRST_POINTS. */
size_t pawl_surrogate_first_points(const struct pawl_space *space);
/* Returns a first point: of a few random configurations the one that explains most of the variance
 * of the others. Round numbers count more. */
size_t pawl_surrogate_explore(struct pawl_surrogate *surrogate, struct pawl_search *search);
