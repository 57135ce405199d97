/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/race_rank.h"

#include <math.h>

#include "base/error.h"
#include "stats/describe.h"

#define STANDARD_ERRORS 2.5
/* a share of `as_good`: a racer that cannot be faster by more than this is as good as the best */
#define WORTH_A_TIE 0.2

static double race_rank_median_of(const double *values, size_t count) {
  struct pawl_summary summary;
  return pawl_summarize(values, count, &summary, NULL) == PAWL_OK ? summary.median : INFINITY;
}

/* The median of each round's racers: one delayed racer does not move it. */
static void find_middles(const struct pawl_race_racer *racers, size_t count, size_t rounds,
                         double *middles) {
  double blocks[PAWL_RACE_MOST];
  for (size_t round = 0; round < rounds; round++) {
    for (size_t i = 0; i < count; i++) blocks[i] = racers[i].blocks[round];
    middles[round] = race_rank_median_of(blocks, count);
  }
}

void pawl_race_rank(struct pawl_race_racer *racers, size_t count, size_t rounds) {
  double middles[PAWL_RACE_MOST_ROUNDS], distances[PAWL_RACE_MOST_ROUNDS];
  find_middles(racers, count, rounds, middles);
  const double level = race_rank_median_of(middles, rounds);
  for (size_t i = 0; i < count; i++) {
    for (size_t round = 0; round < rounds; round++)
      distances[round] = racers[i].blocks[round] - middles[round];
    racers[i].standing = level + race_rank_median_of(distances, rounds);
  }
}

/* The standard deviation of one racer in one round. The distances from a median that includes
   the racer are smaller than those from the true median, so the result is corrected for this. */
static double spread_of(const struct pawl_race_racer *racers, size_t count, size_t rounds) {
  double middles[PAWL_RACE_MOST_ROUNDS], deviations[PAWL_RACE_MOST * PAWL_RACE_MOST_ROUNDS];
  const double n = (double)rounds, k = (double)count;
  size_t known = 0;
  if (rounds < 2 || count < 2) return INFINITY;
  find_middles(racers, count, rounds, middles);
  const double level = race_rank_median_of(middles, rounds);
  for (size_t i = 0; i < count; i++)
    for (size_t round = 0; round < rounds; round++)
      deviations[known++] =
          fabs(racers[i].blocks[round] - middles[round] - (racers[i].standing - level));
  return PAWL_DEVIATION_OF_MAD * race_rank_median_of(deviations, known) *
         sqrt(n / (n - 1) * k / (k - 1));
}

/* The number of standard errors for a spread with `freedom` degrees of freedom: the quantile of
   Student's t that is as probable as STANDARD_ERRORS of a known spread (Wallace, "Bounds on
   normal approximations to Student's and the chi-square distributions", 1959). It is infinite
   for no degree of freedom. */
static double standard_errors(double freedom) {
  const double known = STANDARD_ERRORS * (8 * freedom + 3) / (8 * freedom + 1);
  return freedom > 0 ? sqrt(freedom * expm1(known * known / freedom)) : INFINITY;
}

size_t pawl_race_survivors(const struct pawl_race_racer *racers, size_t count, size_t rounds,
                           double as_good, size_t room) {
  const double spread = spread_of(racers, count, rounds);
  const double errors = standard_errors(((double)rounds - 1) * ((double)count - 1));
  const double error = errors * PAWL_ERROR_OF_MEDIAN * spread * sqrt(2 / (double)rounds);
  const size_t half = (count + 1) / 2;
  size_t left = 1;
  for (; left < count; left++) {
    const double faster = error - (racers[left].standing - racers[0].standing);
    if (left < half ? faster < WORTH_A_TIE * as_good : left >= room || faster < as_good) break;
  }
  return left;
}
