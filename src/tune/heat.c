/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/heat.h"

#include <math.h>

#include "base/error.h"
#include "stats/describe.h"

#define STANDARD_ERRORS 2.0

/* Of one block. Few blocks lie closer to their own median than to the true one. */
static double spread_of(const struct pawl_heat_racer *racers, size_t count) {
  double deviations[PAWL_HEAT_MOST * PAWL_HEAT_MOST_BLOCKS];
  struct pawl_summary summary;
  size_t known = 0;
  for (size_t i = 0; i < count; i++) {
    const double n = (double)racers[i].count;
    for (size_t b = 0; b < racers[i].count && n > 1 && isfinite(racers[i].median); b++)
      deviations[known++] = sqrt(n / (n - 1)) * fabs(racers[i].blocks[b] - racers[i].median);
  }
  if (!known || pawl_summarize(deviations, known, &summary, NULL) != PAWL_OK) return INFINITY;
  return PAWL_DEVIATION_OF_MAD * summary.median;
}

size_t pawl_heat_survivors(const struct pawl_heat_racer *racers, size_t count, double as_good, size_t room) {
  const double spread = spread_of(racers, count);
  size_t left = (count + 1) / 2;
  for (; left < count && left < room && isfinite(racers[left].median); left++) {
    const double behind = racers[left].median - racers[0].median;
    const double error = STANDARD_ERRORS * PAWL_ERROR_OF_MEDIAN * spread * sqrt(2 / (double)racers[left].count);
    if (error - behind < as_good) break;
  }
  return left;
}
