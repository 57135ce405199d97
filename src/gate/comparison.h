/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one kernel and case with its figures, and its JSON form. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "gate/verdict.h"
#include "model/case.h"
#include "model/fields.h"

#define PAWL_VERDICT_SCHEMA 1 /* the version of verdict.json */

/* The limits of `compare` without a threshold. */
#define PAWL_COMPARE_REGRESSION_PCT 3.0
#define PAWL_COMPARE_IMPROVEMENT_PCT 10.0
#define PAWL_COMPARE_MIN_CLIFFS_DELTA 0.3

/* The replicates of a median's interval. Samples of one process are no replicates, so their
 * interval is too narrow. */
enum pawl_interval_kind {
  PAWL_INTERVAL_UNKNOWN = 0,
  PAWL_INTERVAL_SAMPLES,
  PAWL_INTERVAL_PROCESSES
};

struct pawl_comparison {
  const char *kernel_name;
  struct pawl_case config;
  enum pawl_verdict verdict;
  /* the reason, "the check failed" or "no baseline for this hardware"; NULL: none */
  const char *reason;
  double baseline_ms, current_ms; /* medians, or means if there is no median */
  double baseline_ci_low, baseline_ci_high, current_ci_low, current_ci_high;
  /* extremes over processes of their fastest calls; NaN: unknown */
  double baseline_fastest_greatest, current_fastest_least;
  enum pawl_interval_kind baseline_ci_of, current_ci_of;
  double delta_pct; /* (baseline - candidate) / baseline * 100; positive is faster */
  double speedup;
  bool ci_known, ci_overlap;
  double cliffs_delta; /* > 0: candidate faster; NaN without samples on both sides */
  const char *cliffs_label;
  double mann_whitney_p; /* two-sided; NaN without samples on both sides */
  /* the number of samples behind the figures; 0: the file gave only figures */
  size_t baseline_count, current_count;
  bool threshold_mode;
  double threshold; /* percent, -3.0 */
};

struct pawl_comparisons {
  struct pawl_comparison *items;
  size_t count;
};

/* Sets all figures to unknown, and no verdict. */
void pawl_comparison_init(struct pawl_comparison *out);

/* Returns the status of the worst verdict: 1 (dropped, broken, regression, missing) before 2 (no
   significant difference, inconclusive, new, or nothing compared) before 0. */
enum pawl_status_code pawl_comparisons_status(const struct pawl_comparisons *comparisons);

/* For struct pawl_comparison. Reading recomputes all that follows from the times. */
extern const struct pawl_fields pawl_comparison_fields;

/* Returns a new reference: docs/schema/comparison.schema.json. */
json_t *pawl_comparison_to_json(const struct pawl_comparison *item);
/* Returns one comparison as a flat object, several as {comparisons: [...]}, in a new reference. */
json_t *pawl_comparisons_to_json(const struct pawl_comparisons *items);
