/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/judge_phase.h"

#include "loop/baseline_source.h"

struct judging {
  const struct pawl_run_context *run;
  struct pawl_results kernels; /* the results without the references */
  const struct pawl_paired_tests *tests;
  struct pawl_ratchet_report *report;
};

static struct pawl_results without_references(const struct pawl_results *results, struct pawl_project *project) {
  struct pawl_results kernels = *results;
  kernels.items = pawl_arena_alloc(&project->arena, results->count, sizeof *kernels.items);
  kernels.count = 0;
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(&project->suite, results->items[i].kernel_name);
    if (spec && !spec->reference) kernels.items[kernels.count++] = results->items[i];
  }
  return kernels;
}

static enum pawl_status_code move_baseline(void *context, struct pawl_baseline *baseline, struct pawl_arena *arena,
                                           bool *changed, struct pawl_error *err) {
  const struct judging *judging = context;
  const struct pawl_suite *suite = &judging->run->project->suite;
  const struct pawl_ratchet_options options = {.fail_over = suite->gate.detect,
                                               .improve_over = suite->gate.improve,
                                               .between_runs = suite->gate.between_runs,
                                               .paired = judging->tests->items,
                                               .paired_count = judging->tests->count,
                                               .update = judging->run->options->update_baseline};
  PAWL_TRY(pawl_ratchet(baseline, &judging->kernels, &options, arena, judging->report, err));
  pawl_shard_keep_rows(&judging->run->options->shard, suite, judging->report);
  *changed = options.update && judging->report->move_count > 0;
  return PAWL_OK;
}

pawl_status pawl_judge_results(struct pawl_run_context *run, const char *path, struct pawl_baseline *baseline,
                               const struct pawl_results *results, const struct pawl_paired_tests *tests,
                               struct pawl_ratchet_report *out, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  struct judging judging = {run, without_references(results, run->project), tests, out};
  if (!run->options->update_baseline) { /* nothing is written: judged by the copy that was read */
    bool changed;
    return move_baseline(&judging, baseline, arena, &changed, err);
  }
  const char *lock = pawl_baseline_lock_path(path, arena);
  return pawl_baseline_update(path, lock, PAWL_BASELINE_LOCK_SECONDS, move_baseline, &judging, arena, err);
}
