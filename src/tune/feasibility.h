/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates from the failures of a search whether a configuration works. A failure has no time, so
 * the process of times does not contain it. docs/adr/surrogate.md explains the model. */
#pragma once

#include "tune/prediction.h"
#include "tune/search.h"

struct pawl_feasibility {
  const struct pawl_prediction_pool *pool;
  /* few failures: the tried configurations near each place of the pool */
  struct pawl_gaussian_tables nearness;
  float *near_working, *near_all; /* [pool->room] */
  float *near, *sum;              /* [pool->room]: scratch for the configuration that is added */
  size_t added;                   /* the tried configurations in near_working and near_all */
  double regional;                /* the probability, 0 to 1, that failures cluster */
  /* more failures: a process that is 1 if a configuration fails and 0 if it works */
  struct pawl_prediction failing;
  size_t fitted; /* the tried configurations at its last fit */
  bool asks_failing;
};

/* The caller keeps the pool until the release. */
void pawl_feasibility_init(struct pawl_feasibility *feasibility,
                           const struct pawl_prediction_pool *pool);
void pawl_feasibility_release(struct pawl_feasibility *feasibility);
/* Forgets everything about the pool, whose configurations have changed. */
void pawl_feasibility_forget(struct pawl_feasibility *feasibility);

/* Learns the configurations that the search tried since the last call. `judges` decides anew
   whether failures cluster. */
void pawl_feasibility_learn(struct pawl_feasibility *feasibility, const struct pawl_search *search,
                            bool judges);
/* Returns the probability that the configuration at a place of the pool works. */
double pawl_feasibility_at(const struct pawl_feasibility *feasibility, size_t place);
