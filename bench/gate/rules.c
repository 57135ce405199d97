/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <math.h>
#include <stdlib.h>

#include "stats/describe.h"
#include "stats/mannwhitney.h"

static enum call towards(double change) { return change > 0 ? CALL_SLOWER : CALL_FASTER; }

/* nvbench_compare_legacy: means differ by more than the smaller of the two relative standard
 * deviations. */
static enum call nvbench_legacy(const struct rule_input *in) {
  struct pawl_summary base, candidate;
  pawl_summarize_sorted(in->base, in->count, &base);
  pawl_summarize_sorted(in->candidate, in->count, &candidate);
  const double change = (candidate.mean - base.mean) / base.mean;
  return fabs(change) > fmin(base.cv, candidate.cv) ? towards(change) : CALL_NONE;
}

/* nvbench_compare_robust, default preset, equal clocks: [minimum, third quartile] of the sides are
 * 0.5 % apart. */
static enum call nvbench_robust(const struct rule_input *in) {
  const size_t third_quartile = (75 * (in->count - 1) + 50) / 100;
  const double gap = 0.005;
  if (in->candidate[0] >= in->base[third_quartile] * (1 + gap)) return CALL_SLOWER;
  if (in->base[0] >= in->candidate[third_quartile] * (1 + gap)) return CALL_FASTER;
  return CALL_NONE;
}

static enum call mann_whitney(const struct rule_input *in) {
  struct pawl_mann_whitney test;
  pawl_mann_whitney_sorted(in->candidate, in->count, in->base, in->count, &test);
  const double half = (double)in->count * (double)in->count / 2;
  return test.p < 0.05 ? towards(test.u - half) : CALL_NONE;
}

/* criterion.rs with its default noise threshold: the 95 % CI of the relative change of means lies
   beyond +-1 %. Its bootstrap CI is taken by the normal approximation, which 100 samples allow. */
static enum call criterion_like(const struct rule_input *in) {
  struct pawl_summary base, candidate;
  pawl_summarize_sorted(in->base, in->count, &base);
  pawl_summarize_sorted(in->candidate, in->count, &candidate);
  const double change = candidate.mean / base.mean - 1;
  const double error = sqrt((base.cv * base.cv + candidate.cv * candidate.cv) / (double)in->count);
  return fabs(change) - 1.96 * error > 0.01 ? towards(change) : CALL_NONE;
}

/* `pawl compare` without --threshold: medians 3 % slower, or 10 % faster, and bootstrap CIs apart.
 */
static enum call pawl_compare(const struct rule_input *in) {
  double base[2], candidate[2];
  struct pawl_error err;
  if (pawl_bootstrap_plan_apply(in->plan, in->base, 0.95, &base[0], &base[1], &err) ||
      pawl_bootstrap_plan_apply(in->plan, in->candidate, 0.95, &candidate[0], &candidate[1], &err))
    abort();
  const double change =
      pawl_median(in->candidate, in->count) / pawl_median(in->base, in->count) - 1;
  if (change > 0.03 && candidate[0] > base[1]) return CALL_SLOWER;
  if (change < -0.10 && candidate[1] < base[0]) return CALL_FASTER;
  return CALL_NONE;
}

const struct rule rules[RULE_COUNT] = {
    {"nvbench, legacy", nvbench_legacy},         {"nvbench, robust", nvbench_robust},
    {"Mann-Whitney, p < .05", mann_whitney},     {"criterion-like, +-1 %", criterion_like},
    {"`pawl compare` (unpaired)", pawl_compare},
};
