/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/two_sample.h"

#include <math.h>

#include "stats/cliffs.h"
#include "stats/describe.h"
#include "stats/mannwhitney.h"
#include "stats/sort.h"

/* In percent. 1.00 ms to 1.03 ms is 3 %, although its binary difference is a little more. */
#define ROUNDING_SLACK 1e-9
/* A stated median may be rounded or be the lower of two. Farther from the middle half of the
   samples, it cannot be theirs. */
#define MEDIAN_SLACK 1e-3

static bool two_sample_is_time(double ms) { return isfinite(ms) && ms > 0; }

/* A side with sorted samples, and its median and CI from the better source. */
struct sorted_side {
  struct pawl_sample_side side;
  double *sorted;
};

static pawl_status check_given(const struct pawl_sample_side *side, const char *which,
                               struct pawl_error *err) {
  if ((!isnan(side->median_ms) && !two_sample_is_time(side->median_ms)) ||
      (!isnan(side->mean_ms) && !two_sample_is_time(side->mean_ms)))
    return pawl_fail(err, PAWL_BAD_DATA, "the %s has a time that is not finite and positive",
                     which);
  if (isnan(side->ci_low) != isnan(side->ci_high) || side->ci_low > side->ci_high ||
      isinf(side->ci_low) || isinf(side->ci_high))
    return pawl_fail(err, PAWL_BAD_DATA, "the %s has the impossible confidence interval [%g, %g]",
                     which, side->ci_low, side->ci_high);
  return PAWL_OK;
}

static pawl_status sort_side(struct pawl_bootstrap_plans *plans,
                             const struct pawl_sample_side *given, const char *which,
                             struct pawl_arena *arena, struct sorted_side *out,
                             struct pawl_error *err) {
  PAWL_TRY(check_given(given, which, err));
  out->side = *given;
  out->sorted = NULL;
  const size_t count = given->sample_count;
  if (count == 0) return PAWL_OK;
  double *sorted = pawl_arena_alloc(arena, count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) {
    if (!two_sample_is_time(given->samples_ms[i]))
      return pawl_fail(err, PAWL_BAD_DATA,
                       "the %s has a sample that is not finite and positive: number %zu", which,
                       i + 1);
    sorted[i] = given->samples_ms[i];
  }
  pawl_sort_doubles(sorted, count);
  const double low = pawl_quantile(sorted, count, 0.25), high = pawl_quantile(sorted, count, 0.75);
  if (given->median_ms < low * (1 - MEDIAN_SLACK) || given->median_ms > high * (1 + MEDIAN_SLACK))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "the %s has median %.6g ms, but half of its samples are in [%.6g, %.6g]: the "
                     "file contradicts itself",
                     which, given->median_ms, low, high);
  out->sorted = sorted;
  if (given->thinned) return PAWL_OK;
  out->side.median_ms = pawl_median(sorted, count);
  if (given->by_process) return PAWL_OK;
  /* One sample has no spread. A CI from the file stays. */
  if (count < 2) return PAWL_OK;
  return pawl_bootstrap_plans_median_ci(plans, sorted, count, &out->side.ci_low, &out->side.ci_high,
                                        err);
}

/* Picks medians, or means if one side has no median and both have means, or whatever there is. */
static pawl_status pick_times(const struct pawl_sample_side *baseline,
                              const struct pawl_sample_side *candidate, double *baseline_ms,
                              double *current_ms, struct pawl_error *err) {
  const bool medians =
      two_sample_is_time(baseline->median_ms) && two_sample_is_time(candidate->median_ms);
  const bool means =
      two_sample_is_time(baseline->mean_ms) && two_sample_is_time(candidate->mean_ms);
  const double b = medians || (!means && two_sample_is_time(baseline->median_ms))
                       ? baseline->median_ms
                       : baseline->mean_ms;
  const double c = medians || (!means && two_sample_is_time(candidate->median_ms))
                       ? candidate->median_ms
                       : candidate->mean_ms;
  if (!two_sample_is_time(b) || !two_sample_is_time(c))
    return pawl_fail(err, PAWL_BAD_DATA, "the %s has neither a median nor a mean time",
                     two_sample_is_time(b) ? "candidate" : "baseline");
  *baseline_ms = b;
  *current_ms = c;
  return PAWL_OK;
}

static enum pawl_interval_kind interval_kind(const struct pawl_sample_side *side) {
  if (side->by_process) return PAWL_INTERVAL_PROCESSES;
  return isnan(side->ci_low) ? PAWL_INTERVAL_UNKNOWN : PAWL_INTERVAL_SAMPLES;
}

pawl_status pawl_two_sample_compare(struct pawl_bootstrap_plans *plans,
                                    const struct pawl_sample_side *baseline,
                                    const struct pawl_sample_side *candidate,
                                    struct pawl_arena *arena, struct pawl_comparison *out,
                                    struct pawl_error *err) {
  struct sorted_side b, c;
  double baseline_ms = NAN, current_ms = NAN;
  PAWL_TRY(sort_side(plans, baseline, "baseline", arena, &b, err));
  PAWL_TRY(sort_side(plans, candidate, "candidate", arena, &c, err));
  PAWL_TRY(pick_times(&b.side, &c.side, &baseline_ms, &current_ms, err));
  out->baseline_ms = baseline_ms;
  out->current_ms = current_ms;
  out->delta_pct = (baseline_ms - current_ms) / baseline_ms * 100;
  out->speedup = baseline_ms / current_ms;
  out->baseline_ci_low = b.side.ci_low;
  out->baseline_ci_high = b.side.ci_high;
  out->current_ci_low = c.side.ci_low;
  out->current_ci_high = c.side.ci_high;
  out->baseline_fastest_greatest = b.side.fastest_greatest;
  out->current_fastest_least = c.side.fastest_least;
  out->baseline_ci_of = interval_kind(&b.side);
  out->current_ci_of = interval_kind(&c.side);
  out->baseline_count = b.side.sample_count;
  out->current_count = c.side.sample_count;
  /* the intervals are of medians, and do not apply to means */
  const bool of_medians = baseline_ms == b.side.median_ms && current_ms == c.side.median_ms;
  out->ci_known = of_medians && !isnan(b.side.ci_low) && !isnan(c.side.ci_low);
  out->ci_overlap =
      out->ci_known && b.side.ci_low <= c.side.ci_high && c.side.ci_low <= b.side.ci_high;
  if (b.sorted && c.sorted) {
    struct pawl_mann_whitney test;
    pawl_mann_whitney_sorted(b.sorted, b.side.sample_count, c.sorted, c.side.sample_count, &test);
    out->mann_whitney_p = test.p;
    out->cliffs_delta =
        pawl_cliffs_delta_sorted(b.sorted, b.side.sample_count, c.sorted, c.side.sample_count);
  }
  out->cliffs_label = pawl_cliffs_label(out->cliffs_delta);
  return PAWL_OK;
}

enum pawl_verdict pawl_two_sample_verdict(const struct pawl_comparison *figures,
                                          const struct pawl_two_sample_limits *rule) {
  const bool apart = figures->ci_known && !figures->ci_overlap;
  /* NaN without samples, so that there is no improvement. */
  const double effect = fabs(figures->cliffs_delta);
  if (figures->delta_pct < -rule->regression_pct - ROUNDING_SLACK && apart)
    return PAWL_VERDICT_REGRESSION;
  if (figures->delta_pct > rule->improvement_pct + ROUNDING_SLACK && apart &&
      effect >= PAWL_COMPARE_MIN_CLIFFS_DELTA)
    return PAWL_VERDICT_IMPROVEMENT;
  if (!apart || effect < PAWL_COMPARE_MIN_CLIFFS_DELTA) return PAWL_VERDICT_NO_DIFFERENCE;
  return PAWL_VERDICT_MAINTAINED;
}

enum pawl_verdict pawl_threshold_verdict(const struct pawl_comparison *figures, double threshold) {
  /* a NaN must fail this comparison */
  return figures->delta_pct >= threshold - ROUNDING_SLACK ? PAWL_VERDICT_MAINTAINED
                                                          : PAWL_VERDICT_REGRESSION;
}
