/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes on after a heat of a race of configurations. */
#ifndef PAWL_TUNE_HEAT_H
#define PAWL_TUNE_HEAT_H

#include <stddef.h>

#define PAWL_HEAT_MOST 16u        /* racers */
#define PAWL_HEAT_MOST_BLOCKS 40u /* of a racer */

/* Blocks of one racer, of fresh processes each: log ratios of its time to that of something that all are measured with.
   The best has the least `median`. */
struct pawl_heat_racer {
  double median;        /* of `blocks`; infinite: it failed */
  const double *blocks; /* at least 1 */
  size_t count;
};

/* Of `count` racers (1 to PAWL_HEAT_MOST), the best first, how many go on: the faster half, and of the others, as many
   as there is room for, those that may be faster than the best by `as_good` or more, in the log, within two standard
   errors of the difference of medians. The standard error is of all racers' blocks together, by their median absolute
   deviation: a moment in which something else held up a block does not count. */
size_t pawl_heat_survivors(const struct pawl_heat_racer *racers, size_t count, double as_good, size_t room);

#endif
