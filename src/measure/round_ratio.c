/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/round_ratio.h"

#include <math.h>

#include "stats/describe.h"

static pawl_status median_time(const double *values, size_t count, double *out,
                               struct pawl_error *err) {
  struct pawl_summary summary;
  PAWL_TRY(pawl_summarize(values, count, &summary, err));
  if (!(summary.median > 0))
    return pawl_fail(err, PAWL_BAD_DATA, "calls were shorter than the clock can measure");
  *out = summary.median;
  return PAWL_OK;
}

pawl_status pawl_median_ratio(const double *a, size_t a_count, const double *b, size_t b_count,
                              double *a_time, double *b_time, struct pawl_error *err) {
  PAWL_TRY(median_time(a, a_count, a_time, err));
  return median_time(b, b_count, b_time, err);
}

pawl_status pawl_round_ratio(const double *a, const double *b, size_t samples, int rounds,
                             struct pawl_arena *arena, double *a_time, double *b_time,
                             struct pawl_error *err) {
  double *ratios = pawl_arena_alloc(arena, (size_t)rounds, sizeof *ratios);
  double a_median = NAN, b_median = NAN;
  struct pawl_summary of_rounds;
  size_t count = 0, begin = 0;
  for (int round = 0; round < rounds; round++) {
    const size_t end = pawl_round_end(samples, rounds, round);
    if (end == begin) continue;
    PAWL_TRY(median_time(a + begin, end - begin, &a_median, err));
    PAWL_TRY(median_time(b + begin, end - begin, &b_median, err));
    ratios[count++] = log(b_median / a_median);
    begin = end;
  }
  PAWL_TRY(median_time(a, samples, &a_median, err));
  PAWL_TRY(median_time(b, samples, &b_median, err));
  PAWL_TRY(pawl_summarize(ratios, count, &of_rounds, err));
  const double middle = sqrt(a_median * b_median);
  *a_time = middle * exp(-of_rounds.median / 2);
  *b_time = middle * exp(of_rounds.median / 2);
  return PAWL_OK;
}
