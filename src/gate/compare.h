/* SPDX-License-Identifier: Apache-2.0 */
/* Two stored results compared, unpaired: design "compare". The paired gate is gate/paired.h. */
#ifndef PAWL_GATE_COMPARE_H
#define PAWL_GATE_COMPARE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "model/result.h"

enum pawl_verdict {
  PAWL_VERDICT_NONE = 0, /* nothing to compare with: new */
  PAWL_VERDICT_REGRESSION,
  PAWL_VERDICT_IMPROVEMENT,
  PAWL_VERDICT_MAINTAINED,
  PAWL_VERDICT_NO_DIFFERENCE, /* "no significant difference" */
  PAWL_VERDICT_INCONCLUSIVE,
  PAWL_VERDICT_BROKEN, /* the candidate is wrong, does not build, or crashes */
  PAWL_VERDICT_MISSING /* the baseline has it, the candidate does not */
};
const char *pawl_verdict_name(enum pawl_verdict verdict); /* "regression" ... */

struct pawl_comparison {
  const char *kernel_name;
  struct pawl_case config;
  enum pawl_verdict verdict;
  const char *reason;             /* NULL, or why: "the check failed", "no baseline for this hardware" */
  double baseline_ms, current_ms; /* medians (means where no median is given) */
  double baseline_ci_low, baseline_ci_high, current_ci_low, current_ci_high;
  double delta_pct; /* (baseline - candidate) / baseline * 100: positive is faster */
  double speedup;
  bool ci_known, ci_overlap;
  double cliffs_delta; /* > 0: candidate faster */
  const char *cliffs_label;
  double mann_whitney_p;
  bool threshold_mode;
  double threshold; /* percent, -3.0 */
};

struct pawl_compare_options {
  bool threshold_mode;
  double threshold; /* percent; a regression when delta_pct < threshold */
};

struct pawl_comparisons {
  struct pawl_comparison *items;
  size_t count;
};

/* Pairs by kernel name and case (name, else shape); what stands on one side only is loud, never an improvement.
   PAWL_BAD_DATA when samples or CIs are needed and not there. */
pawl_status pawl_compare(const struct pawl_results *baseline, const struct pawl_results *candidate,
                         const struct pawl_compare_options *options, struct pawl_arena *arena,
                         struct pawl_comparisons *out, struct pawl_error *err);

/* 1 before 2 before 0. */
enum pawl_status_code pawl_comparisons_status(const struct pawl_comparisons *comparisons);
json_t *pawl_comparison_to_json(const struct pawl_comparison *item);
json_t *pawl_comparisons_to_json(
    const struct pawl_comparisons *items); /* flat for one, {comparisons: [...]} for several */

#endif
