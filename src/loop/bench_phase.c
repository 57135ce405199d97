/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/bench_phase.h"

#include "loop/bench_kernels.h"

struct timing_filter {
  const struct pawl_suite *suite;
  const struct pawl_selection *selection;
  const struct pawl_arm_pairs *pairs;
};

/* Cases of other shards, and cases whose code is the baseline's, are left out of the timing. References have their own
   phase. */
static bool is_left_out(const void *context, const char *kernel, const char *case_name) {
  const struct timing_filter *filter = context;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(filter->suite, kernel);
  if (spec && spec->reference && spec->operator_name) return true;
  return !pawl_selection_has(filter->selection, filter->suite, kernel, case_name) ||
         pawl_arm_pairs_identical(filter->pairs, kernel, case_name);
}

pawl_status pawl_bench_phase(struct pawl_project *project, const struct pawl_selection *selection,
                             const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                             struct pawl_results *results, struct pawl_error *err) {
  const struct timing_filter filter = {&project->suite, selection, pairs};
  const struct pawl_bench_selection filtered = {
      .only_case = selection->case_name, .warmup = -1, .skip = is_left_out, .context = &filter};
  return pawl_bench_kernels(project, built->kernels, built->count, &filtered, results, err);
}
