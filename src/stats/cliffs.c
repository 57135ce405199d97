/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/cliffs.h"

#include <math.h>

#include "base/memory.h"
#include "stats/ranks.h"
#include "stats/sort.h"

double pawl_cliffs_delta_sorted(const double *baseline, size_t baseline_count,
                                const double *candidate, size_t candidate_count) {
  PAWL_ASSERT(baseline_count > 0 && candidate_count > 0);
  const struct pawl_rank_counts counts =
      pawl_count_ranks(candidate, candidate_count, baseline, baseline_count);
  const double pairs = (double)baseline_count * (double)candidate_count;
  const bool faster = counts.less >= counts.greater;
  const double excess =
      (double)(faster ? counts.less - counts.greater : counts.greater - counts.less) / pairs;
  return faster ? excess : -excess;
}

pawl_status pawl_cliffs_delta(const double *baseline, size_t baseline_count,
                              const double *candidate, size_t candidate_count, double *delta,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) double *sorted_baseline = NULL;
  PAWL_CLEANUP(pawl_free_pointer) double *sorted_candidate = NULL;
  if (pawl_sorted_copy(baseline, baseline_count, &sorted_baseline, err))
    return pawl_prefix(err, "baseline");
  if (pawl_sorted_copy(candidate, candidate_count, &sorted_candidate, err))
    return pawl_prefix(err, "candidate");
  *delta =
      pawl_cliffs_delta_sorted(sorted_baseline, baseline_count, sorted_candidate, candidate_count);
  return PAWL_OK;
}

const char *pawl_cliffs_label(double delta) {
  const double size = fabs(delta);
  if (size < 0.147) return "negligible";
  if (size < 0.33) return "small";
  if (size < 0.474) return "medium";
  return isnan(delta) ? "unknown" : "large";
}
