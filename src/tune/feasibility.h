/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a configuration works at all: what the failures of a search say of those that were not
   tried. A failure has no time, so it is no point of the process of times. docs/adr/surrogate.md
   argues it. */
#ifndef PAWL_TUNE_FEASIBILITY_H
#define PAWL_TUNE_FEASIBILITY_H

#include "tune/prediction.h"
#include "tune/search.h"

struct pawl_feasibility {
  const struct pawl_prediction_pool *pool;
  /* few failures: the tried configurations near each place */
  struct pawl_gaussian_tables nearness;
  float *near_working, *near_all; /* [pool->room] */
  float *near, *sum;              /* [pool->room]: of one configuration, while it is added */
  size_t added;                   /* tried configurations that are in near_working and near_all */
  double regional; /* the belief that failures lie together, in 0..1, and not anywhere */
  /* more failures: a process that is 1 where a configuration fails and 0 where it works */
  struct pawl_prediction failing;
  size_t fitted; /* tried configurations at its last fit */
  bool asks_failing;
};

/* The pool is borrowed. */
void pawl_feasibility_init(struct pawl_feasibility *feasibility,
                           const struct pawl_prediction_pool *pool);
void pawl_feasibility_release(struct pawl_feasibility *feasibility);
/* The pool has other configurations: what was learnt of its places is forgotten. */
void pawl_feasibility_forget(struct pawl_feasibility *feasibility);

/* Learns what the search tried since the last call. `judges`: it is time to judge whether failures
 * lie together. */
void pawl_feasibility_learn(struct pawl_feasibility *feasibility, const struct pawl_search *search,
                            bool judges);
/* The chance that the configuration at a place of the pool works. */
double pawl_feasibility_at(const struct pawl_feasibility *feasibility, size_t place);

#endif
