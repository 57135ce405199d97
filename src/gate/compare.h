/* SPDX-License-Identifier: Apache-2.0 */
/* Two stored results compared, unpaired: the figures are of different moments, and perhaps of different moods of the
   machine. Where a side has samples, its median and its confidence interval come from them; the figures that the file
   gives are used where it has none. */
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
  PAWL_VERDICT_BROKEN,     /* the candidate is wrong, does not build, or crashes */
  PAWL_VERDICT_MISSING,    /* the baseline has it, the candidate does not */
  PAWL_VERDICT_UNSUPPORTED /* there is no time on either side, and need not be: the kernel refuses the shape, or it is
                              optional and what it needs is absent */
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
  double cliffs_delta; /* > 0: candidate faster; NaN without samples on both sides */
  const char *cliffs_label;
  double mann_whitney_p;                /* two-sided; NaN without samples on both sides */
  size_t baseline_count, current_count; /* samples behind the figures; 0: the file gave figures only */
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

/* The first rule that fits: REGRESSION, slower by more than 3 % and the CIs apart; IMPROVEMENT, faster by more than
   10 %, the CIs apart and abs(Cliff's delta) >= 0.3; NO_DIFFERENCE, the CIs overlap or abs(Cliff's delta) < 0.3;
   MAINTAINED. In threshold mode: REGRESSION when delta_pct < threshold, else MAINTAINED; no CI is needed, and means are
   compared where a side has no median.

   Pairs by kernel name and case name, else by kernel name and shape; results that name no kernel pair by case or shape
   alone, and two files of one result each pair whatever the kernels' names are. What stands on one side only is loud,
   never an improvement. The order is the candidate's, then what is missing.

   PAWL_BAD_DATA: neither samples nor CIs where they are needed; a file with two results of the same kernel and case, or
   with a median that its own samples contradict. */
pawl_status pawl_compare(const struct pawl_results *baseline, const struct pawl_results *candidate,
                         const struct pawl_compare_options *options, struct pawl_arena *arena,
                         struct pawl_comparisons *out, struct pawl_error *err);

/* 1 (regression, broken, missing) before 2 (no significant difference, inconclusive, new, or nothing compared at all)
   before 0. */
enum pawl_status_code pawl_comparisons_status(const struct pawl_comparisons *comparisons);
bool pawl_verdict_fails(enum pawl_verdict verdict); /* regression, broken, missing */
/* docs/schema/comparison.schema.json; a new reference. */
json_t *pawl_comparison_to_json(const struct pawl_comparison *item);
json_t *pawl_comparisons_to_json(
    const struct pawl_comparisons *items); /* flat for one, {comparisons: [...]} for several */

#endif
