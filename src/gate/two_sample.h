/* SPDX-License-Identifier: Apache-2.0 */
/* Two sets of times side by side: the figures, and the rule that turns them into a verdict. What
   `compare` and the ratchet share. */
#ifndef PAWL_GATE_TWO_SAMPLE_H
#define PAWL_GATE_TWO_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "gate/comparison.h"
#include "stats/bootstrap.h"

/* What is known of one side, in milliseconds; NaN is unknown. */
struct pawl_sample_side {
  double median_ms, mean_ms, ci_low, ci_high;
  double fastest_least,
      fastest_greatest;     /* of the fastest calls of processes: pawl_result_fastest */
  const double *samples_ms; /* in any order */
  size_t sample_count;
  bool by_process; /* the interval is by process, and stands whatever the samples are; NaN: of too
                      few processes */
  bool thinned;    /* the samples are quantiles of more samples: their own CI would be too wide, the
                      stored one holds */
};

/* Percentages are positive numbers. */
struct pawl_two_sample_limits {
  double regression_pct;  /* slower by more than this, CIs apart: regression */
  double improvement_pct; /* faster by more than this, CIs apart, abs(Cliff's delta) >= 0.3:
                             improvement */
};

/* Fills the figures of *out: times, delta, speedup, CIs, Cliff's delta, p; the verdict stays.
   PAWL_BAD_DATA when a side has no time, contradicts itself, or has a time that is not finite and
   positive. */
pawl_status pawl_two_sample_compare(struct pawl_bootstrap_plans *plans,
                                    const struct pawl_sample_side *baseline,
                                    const struct pawl_sample_side *candidate,
                                    struct pawl_arena *arena, struct pawl_comparison *out,
                                    struct pawl_error *err);

/* The verdict on figures whose CIs are known. */
enum pawl_verdict pawl_two_sample_verdict(const struct pawl_comparison *figures,
                                          const struct pawl_two_sample_limits *rule);
/* The plain rule: delta_pct against a threshold in percent. */
enum pawl_verdict pawl_threshold_verdict(const struct pawl_comparison *figures, double threshold);

#endif
