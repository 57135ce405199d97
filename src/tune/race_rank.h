/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks a race of configurations, and chooses the racers that continue after a stage of rounds. */
#pragma once

#include <stddef.h>

#define PAWL_RACE_MOST 16u        /* the most racers */
#define PAWL_RACE_MOST_ROUNDS 40u /* the most rounds of a race */

/* A racer in all rounds so far. Each round measures it in fresh processes. */
struct pawl_race_racer {
  /* for each round the log ratio of its time to a time that all racers share */
  const double *blocks;
  double standing; /* the result of pawl_race_rank: a log ratio over all rounds */
};

/* Ranks `count` racers (1 to PAWL_RACE_MOST) after `rounds` rounds (1 to PAWL_RACE_MOST_ROUNDS).
   A common effect of a round, such as an error of the shared time, says nothing about the order.
   So the standing of a racer is the median over the rounds of its distance from the round's
   median, plus the median of the rounds' medians. */
void pawl_race_rank(struct pawl_race_racer *racers, size_t count, size_t rounds);

/* Returns the number of racers, sorted by standing, that continue. A racer may be faster than
   the best by 2.5 standard errors of the difference (more after few rounds of few racers) less
   its present distance, all in the log. The standard error comes from the median absolute
   deviation of all racers from the medians, so a moment in which another program delayed one
   racer does not count. In the faster half those continue that may be faster by a fifth of
   `as_good`; after one round all of them may be. In the slower half those continue that may be
   faster by `as_good`, while fewer than `room` racers continue. */
size_t pawl_race_survivors(const struct pawl_race_racer *racers, size_t count, size_t rounds,
                           double as_good, size_t room);
