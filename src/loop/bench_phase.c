/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/bench_phase.h"

#include "loop/bench_kernels.h"

struct phase {
  const struct pawl_run_context *run;
  const struct pawl_arm_pairs *pairs;
  const struct pawl_built *built;
};

/* Some kernel of the reference's operator is timed on the case: the reference is timed beside it. */
static bool is_accompanied(const struct phase *phase, const struct pawl_kernel_spec *reference, const char *case_name) {
  const struct pawl_run_context *run = phase->run;
  for (size_t i = 0; i < phase->built->count; i++) {
    const struct pawl_kernel_spec *spec = phase->built->kernels[i].spec;
    if (pawl_shard_accompanies(&run->options->shard, &run->project->suite, reference, spec) &&
        pawl_run_has(run, spec->name, case_name) && !pawl_arm_pairs_identical(phase->pairs, spec->name, case_name))
      return true;
  }
  return false;
}

/* Cases of other shards, and those whose code is the baseline's, are left out of the timing, and with them the
   references. */
static bool is_left_out(const void *context, const char *kernel, const char *case_name) {
  const struct phase *phase = context;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&phase->run->project->suite, kernel);
  if (spec && spec->reference && spec->operator_name) return !is_accompanied(phase, spec, case_name);
  return !pawl_run_has(phase->run, kernel, case_name) || pawl_arm_pairs_identical(phase->pairs, kernel, case_name);
}

pawl_status pawl_bench_phase(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                             const struct pawl_built *built, struct pawl_results *results, struct pawl_error *err) {
  const struct phase phase = {run, pairs, built};
  const struct pawl_bench_selection selection = {.warmup = -1, .skip = is_left_out, .context = &phase};
  return pawl_bench_kernels(run->project, built->kernels, built->count, &selection, results, err);
}
