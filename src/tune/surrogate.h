/* SPDX-License-Identifier: Apache-2.0 */
/* What a search believes about the whole space: a Gaussian process of time over every configuration at once, and apart
   from it whether a configuration works at all.

   The process learns log(1 + 4 log(time / best time)), the response, up to a factor: differences among good
   configurations count, those among bad ones hardly. V = L^-1 K(points, pool) is kept row by row, so a new result costs
   one row; a fit rebuilds it. The pool is the whole space, or of a large one a sample and the neighbours of the best.
 */
#ifndef PAWL_TUNE_SURROGATE_H
#define PAWL_TUNE_SURROGATE_H

#include "tune/gaussian.h"
#include "tune/search.h"

#define PAWL_SURROGATE_LARGEST_POOL 20000u

struct pawl_surrogate;

struct pawl_surrogate *pawl_surrogate_new(struct pawl_search *search);
void pawl_surrogate_free(struct pawl_surrogate *surrogate);

/* Learns what the search got since the last call; what it holds counts as what is believed of it. */
void pawl_surrogate_learn(struct pawl_surrogate *surrogate, struct pawl_search *search);

/* The configuration that promises most: expected improvement times the chance to work. PAWL_NO_CONFIGURATION: all of
   the pool were tried. */
size_t pawl_surrogate_best(const struct pawl_surrogate *surrogate, const struct pawl_search *search);
/* What is believed of a configuration of the pool: the response, mean and standard deviation. False:
   it is not in the pool. */
bool pawl_surrogate_predict(const struct pawl_surrogate *surrogate, size_t index, double *mean, double *deviation);
/* For the first questions: of a few configurations drawn by chance, the one from which most is learnt about the others,
   and rather one of round numbers. */
size_t pawl_surrogate_explore(struct pawl_surrogate *surrogate, struct pawl_search *search);

#endif
