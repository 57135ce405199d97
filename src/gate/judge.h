/* SPDX-License-Identifier: Apache-2.0 */
/* Two sets of times side by side: the figures, and the rule that turns them into a verdict. What `compare` and the
   ratchet share. */
#ifndef PAWL_GATE_JUDGE_H
#define PAWL_GATE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "gate/compare.h"
#include "stats/bootstrap.h"

/* What is known of one side, in milliseconds; NaN is unknown. */
struct pawl_side {
  double median_ms, mean_ms, ci_low, ci_high;
  const double *samples_ms; /* in any order */
  size_t sample_count;
  bool thinned; /* the samples are quantiles of more samples: their own CI would be too wide, the stored one holds */
};

/* Percentages are positive numbers. */
struct pawl_rule {
  double regression_pct;  /* slower by more than this, CIs apart: regression */
  double improvement_pct; /* faster by more than this, CIs apart, abs(Cliff's delta) >= 0.3: improvement */
};

#define PAWL_RULE_REGRESSION_PCT 3.0
#define PAWL_RULE_IMPROVEMENT_PCT 10.0
#define PAWL_RULE_MIN_CLIFFS_DELTA 0.3

/* One bootstrap plan for each number of samples met: drawing the resamples is most of the cost of a CI. */
struct pawl_judge {
  struct pawl_bootstrap_plan *plans;
  size_t count, capacity;
};
void pawl_judge_init(struct pawl_judge *judge);
void pawl_judge_release(struct pawl_judge *judge);

/* The 95 % interval of the median of `count` sorted samples; NaN for a single one. */
pawl_status pawl_judge_interval(struct pawl_judge *judge, const double *sorted, size_t count, double *low, double *high,
                                struct pawl_error *err);

/* Puts every known time aside as unknown: what a comparison without numbers looks like. */
void pawl_comparison_init(struct pawl_comparison *out);

/* Fills the figures of *out: times, delta, speedup, CIs, Cliff's delta, p; the verdict stays. PAWL_BAD_DATA when a side
   has no time, or one that is not finite and positive, or contradicts itself. */
pawl_status pawl_judge_measure(struct pawl_judge *judge, const struct pawl_side *baseline,
                               const struct pawl_side *candidate, struct pawl_arena *arena, struct pawl_comparison *out,
                               struct pawl_error *err);

/* The verdict on figures whose CIs are known. */
enum pawl_verdict pawl_judge_rule(const struct pawl_comparison *figures, const struct pawl_rule *rule);
/* The plain rule: delta_pct against a threshold in percent. */
enum pawl_verdict pawl_judge_threshold(const struct pawl_comparison *figures, double threshold);

#endif
