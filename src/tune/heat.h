/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes on after a heat of a race of configurations. */
#ifndef PAWL_TUNE_HEAT_H
#define PAWL_TUNE_HEAT_H

#include <stddef.h>

#define PAWL_HEAT_MOST 16u        /* racers */
#define PAWL_HEAT_MOST_ROUNDS 40u /* of a race */

/* A racer in all rounds so far, of fresh processes each. */
struct pawl_heat_racer {
  const double *blocks; /* of each round: the log ratio of its time to that of something that all
                           are measured beside */
  double standing;      /* set by pawl_heat_stand: such a ratio, over all rounds */
};

/* Where `count` racers (1 to PAWL_HEAT_MOST) stand after `rounds` (1 to PAWL_HEAT_MOST_ROUNDS).
   What the racers of a round have in common, such as the luck of what they are measured beside,
   says nothing of who is faster: a racer's standing is the median over the rounds of how far it is
   from the round's median, and the median of those. */
void pawl_heat_stand(struct pawl_heat_racer *racers, size_t count, size_t rounds);

/* Of these racers, the best first, how many go on. A racer may be faster than the best by so
   much: 2.5 standard errors of the difference, and more after few rounds of few racers, less what
   it is behind (all in the log). The standard error is of all racers' distances from the medians,
   by their median absolute deviation: a moment in which something else held up a racer does not
   count.
   - Of the faster half, who may be faster by a fifth of `as_good`. After one round everybody may.
   - Of the others, as many as there is room for (`room` racers in all), who may be faster by
   `as_good`. */
size_t pawl_heat_survivors(const struct pawl_heat_racer *racers, size_t count, size_t rounds,
                           double as_good, size_t room);

#endif
