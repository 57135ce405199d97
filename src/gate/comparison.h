/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one kernel and case with the figures behind it, and its JSON form. */
#ifndef PAWL_GATE_COMPARISON_H
#define PAWL_GATE_COMPARISON_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "gate/verdict.h"
#include "model/case.h"
#include "model/fields.h"

#define PAWL_VERDICT_SCHEMA 1 /* of verdict.json */

/* The limits of `compare` without a threshold. */
#define PAWL_COMPARE_REGRESSION_PCT 3.0
#define PAWL_COMPARE_IMPROVEMENT_PCT 10.0
#define PAWL_COMPARE_MIN_CLIFFS_DELTA 0.3

/* What the interval of a median is over. Samples of one process are no replicates, so that theirs
 * is too narrow. */
enum pawl_interval_kind {
  PAWL_INTERVAL_UNKNOWN = 0,
  PAWL_INTERVAL_SAMPLES,
  PAWL_INTERVAL_PROCESSES
};

struct pawl_comparison {
  const char *kernel_name;
  struct pawl_case config;
  enum pawl_verdict verdict;
  const char *reason; /* NULL, or why: "the check failed", "no baseline for this hardware" */
  double baseline_ms, current_ms; /* medians (means where no median is given) */
  double baseline_ci_low, baseline_ci_high, current_ci_low, current_ci_high;
  double baseline_fastest_greatest,
      current_fastest_least; /* over processes, of their fastest calls; NaN: unknown */
  enum pawl_interval_kind baseline_ci_of, current_ci_of;
  double delta_pct; /* (baseline - candidate) / baseline * 100: positive is faster */
  double speedup;
  bool ci_known, ci_overlap;
  double cliffs_delta; /* > 0: candidate faster; NaN without samples on both sides */
  const char *cliffs_label;
  double mann_whitney_p; /* two-sided; NaN without samples on both sides */
  size_t baseline_count,
      current_count; /* samples behind the figures; 0: the file gave figures only */
  bool threshold_mode;
  double threshold; /* percent, -3.0 */
};

struct pawl_comparisons {
  struct pawl_comparison *items;
  size_t count;
};

/* All figures unknown, no verdict. */
void pawl_comparison_init(struct pawl_comparison *out);

/* 1 (regression, broken, missing) before 2 (no significant difference, inconclusive, new, or
   nothing compared at all) before 0. */
enum pawl_status_code pawl_comparisons_status(const struct pawl_comparisons *comparisons);

/* Of struct pawl_comparison; what follows from the times is computed again when it is read. */
extern const struct pawl_fields pawl_comparison_fields;

/* docs/schema/comparison.schema.json; a new reference. */
json_t *pawl_comparison_to_json(const struct pawl_comparison *item);
/* Flat for one, {comparisons: [...]} for several. */
json_t *pawl_comparisons_to_json(const struct pawl_comparisons *items);

#endif
