/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/judge_phase.h"

#include <string.h>

struct judging {
  const struct pawl_suite *suite;
  const struct pawl_run_options *options;
  struct pawl_results kernels; /* the results without the references */
  const struct pawl_paired_tests *tests;
  struct pawl_acceptances acceptances;
  struct pawl_ratchet_report *report;
};

static struct pawl_results without_references(const struct pawl_results *results,
                                              const struct pawl_suite *suite,
                                              struct pawl_arena *arena) {
  struct pawl_results kernels = *results;
  kernels.items = pawl_arena_alloc(arena, results->count, sizeof *kernels.items);
  kernels.count = 0;
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(suite, results->items[i].kernel_name);
    if (spec && !spec->reference) kernels.items[kernels.count++] = results->items[i];
  }
  return kernels;
}

/* Returns whether some benchmark of the harness has a time. */
static bool has_times(const struct pawl_ratchet_report *report, const char *kernel_name) {
  bool found = false;
  for (size_t i = 0; i < report->count && !found; i++) {
    const struct pawl_result *result = report->rows[i].result;
    found =
        result && !strcmp(result->kernel_name, kernel_name) && result->outcome == PAWL_OUTCOME_OK;
  }
  return found;
}

/* Says why a benchmark of the baseline has no row. */
static void explain_missing(const struct pawl_suite *suite, struct pawl_ratchet_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    const struct pawl_ratchet_row *row = &report->rows[i];
    struct pawl_comparison *item = &report->rows[i].comparison;
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(suite, item->kernel_name);
    if (item->verdict != PAWL_VERDICT_MISSING || row->result || !spec ||
        !pawl_kernel_is_harness(spec))
      continue;
    item->reason = !has_times(report, item->kernel_name)
                       ? "no benchmark of its command has a time: the baseline has it"
                   : pawl_kernel_selects(spec, item->config.name)
                       ? "the benchmark left the file of its command: the baseline has it"
                       : "the suite's 'select' leaves the benchmark out: the baseline has it";
  }
}

static enum pawl_status_code move_baseline(void *context, struct pawl_baseline *baseline,
                                           struct pawl_arena *arena, bool *changed,
                                           struct pawl_error *err) {
  const struct judging *judging = context;
  const struct pawl_suite *suite = judging->suite;
  const struct pawl_ratchet_options options = {.gate = suite->gate,
                                               .paired = judging->tests->items,
                                               .paired_count = judging->tests->count,
                                               .acceptances = judging->acceptances,
                                               .follows_shapes = true,
                                               .update = judging->options->update_baseline};
  PAWL_TRY(pawl_ratchet(baseline, &judging->kernels, &options, arena, judging->report, err));
  pawl_selection_keep_rows(&judging->options->selection, suite, judging->report);
  explain_missing(suite, judging->report);
  *changed = options.update && judging->report->move_count > 0;
  return PAWL_OK;
}

pawl_status pawl_judge_phase(const struct pawl_suite *suite, const struct pawl_run_options *options,
                             struct pawl_judging_baseline *judging,
                             const struct pawl_results *results,
                             const struct pawl_paired_tests *tests, struct pawl_arena *arena,
                             struct pawl_ratchet_report *out, struct pawl_error *err) {
  struct judging all = {
      suite, options, without_references(results, suite, arena), tests, judging->acceptances, out};
  if (!options->update_baseline) { /* without a write, the copy in memory judges */
    bool changed;
    return move_baseline(&all, &judging->baseline, arena, &changed, err);
  }
  const char *lock = pawl_baseline_lock_path(judging->path, arena);
  const enum pawl_status_code status = pawl_baseline_update(
      judging->path, lock, PAWL_BASELINE_LOCK_SECONDS, move_baseline, &all, arena, err);
  if (status != PAWL_OK) out->move_count = 0; /* the old baseline still stands */
  return status;
}
