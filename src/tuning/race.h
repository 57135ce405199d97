/* SPDX-License-Identifier: Apache-2.0 */
/* Races the best candidates of the screening against each other. */
#pragma once

#include "tune/race_rank.h"
#include "tuning/tuning.h"

#define PAWL_TUNE_MOST_RACERS PAWL_RACE_MOST

/* A racer: a candidate, ranked by its ratio to the current code. */
struct pawl_tune_racer {
  size_t candidate;
  double ratio; /* its rank; at first the screening's ratio; infinite: it failed */
  /* the log ratio of each round, in the arena; the last entry is unset if it failed */
  double *blocks;
  size_t count;                   /* the rounds that it took part in */
  struct pawl_verified *verified; /* one for each case, in the arena */
  struct pawl_ready_kernel kernel;
};

/* Returns the seconds that follow the race: the settings of each case, the check, the verdicts, the
 * other cases. */
double pawl_tuning_later_seconds(const struct pawl_tuning *tuning);

/* Chooses the candidates whose ratio is below `worth` and that were not judged, the best first.
   Each machine code appears once. Returns the number. */
size_t pawl_tuning_choose_racers(const struct pawl_tuning *tuning, double worth,
                                 struct pawl_tune_racer *out);

/* Runs the race in stages of rounds. In each round all racers and the current code take turns.
   After a stage pawl_race_survivors (tune/race_rank.h) and the time decide who continues. The
   race ends when one racer is left, after PAWL_RACE_MOST_ROUNDS rounds, or when only the time
   for the judging is left. Three racers have two rounds if there is any time for them. *count
   becomes the number of racers that are faster than the current code, the best first; it is at
   least 1, because the gate decides about the best. */
pawl_status pawl_tuning_race(struct pawl_tuning *tuning, struct pawl_tune_racer *racers,
                             size_t *count, struct pawl_error *err);
