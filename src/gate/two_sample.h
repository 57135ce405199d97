/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two sets of times, for `compare` and the ratchet: computes the figures, and the verdict
 * from them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "gate/comparison.h"
#include "stats/bootstrap.h"

/* One side, in milliseconds. NaN is unknown. */
struct pawl_sample_side {
  double median_ms, mean_ms, ci_low, ci_high;
  /* the fastest calls of processes: pawl_result_fastest */
  double fastest_least, fastest_greatest;
  const double *samples_ms; /* in any order */
  size_t sample_count;
  /* the interval is by process and replaces that of the samples; NaN: too few processes */
  bool by_process;
  /* the samples are quantiles of more samples: the stored CI applies, because theirs would be too
   * wide */
  bool thinned;
};

/* Percentages are positive numbers. */
struct pawl_two_sample_limits {
  double regression_pct; /* slower by more than this, CIs apart: regression */
  /* faster by more than this, CIs apart, abs(Cliff's delta) >= 0.3: improvement */
  double improvement_pct;
};

/* Fills in the figures of *out: times, delta, speedup, CIs, Cliff's delta, p. The verdict stays.
   Fails with PAWL_BAD_DATA if a side has no time, contradicts itself, or has a time that is not
   finite and positive. */
pawl_status pawl_two_sample_compare(struct pawl_bootstrap_plans *plans,
                                    const struct pawl_sample_side *baseline,
                                    const struct pawl_sample_side *candidate,
                                    struct pawl_arena *arena, struct pawl_comparison *out,
                                    struct pawl_error *err);

/* Returns the verdict for figures with known CIs. */
enum pawl_verdict pawl_two_sample_verdict(const struct pawl_comparison *figures,
                                          const struct pawl_two_sample_limits *rule);
/* Returns the verdict of the plain rule: delta_pct against a threshold in percent. */
enum pawl_verdict pawl_threshold_verdict(const struct pawl_comparison *figures, double threshold);
