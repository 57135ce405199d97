/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/compare.h"

#include <string.h>

#include "base/entropy.h"
#include "base/text.h"
#include "measure/harness.h"
#include "pairs/bench.h"
#include "project/base_oracle.h"
#include "project/kernels.h"
#include "project/operators.h"

struct version_pair {
  struct pawl_built_version base, candidate;
  const char *name; /* the name that the rows bear */
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
};

/* A run of the candidate finds its benchmarks. A benchmark without times gets no row. */
static pawl_status find_benchmarks(struct pawl_project *project,
                                   const struct pawl_version_comparison *wanted,
                                   struct version_pair *pair, struct pawl_error *err) {
  const struct pawl_ready_kernel *ready = &pair->candidate.ready;
  const struct pawl_bench_options options = {
      .worker = &ready->worker,
      .spec = &project->suite.measure,
      .device = pawl_devices_find(&project->devices, ready->spec->device, NULL)};
  struct pawl_benchmarks all;
  const char *failure;
  PAWL_TRY(pawl_harness_look(&options, &project->arena, &all, &failure, err));
  if (failure) return pawl_fail(err, PAWL_FAILED, "%s", failure);
  pair->cases = pawl_arena_alloc(&project->arena, all.count + 1, sizeof *pair->cases);
  for (size_t i = 0; i < all.count; i++) {
    struct pawl_case config = pawl_command_case(&project->suite);
    if (all.items[i].name) config = (struct pawl_case){.name = all.items[i].name};
    if (wanted->only_case && strcmp(wanted->only_case, config.name) != 0) continue;
    if (!pawl_kernel_selects(ready->spec, config.name)) continue;
    if (all.items[i].count)
      pair->cases[pair->count++] = config;
    else
      pawl_log_warning(project->options.log, "'%s' of '%s' has no times: %s", config.name,
                       ready->spec->name, all.items[i].reason);
  }
  return PAWL_OK;
}

static pawl_status make_pair(struct pawl_project *project,
                             const struct pawl_version_comparison *wanted, const char *base,
                             const char *candidate, struct version_pair *out,
                             struct pawl_error *err) {
  PAWL_TRY(pawl_version_build(project, &wanted->base, base, &out->base, err));
  PAWL_TRY(pawl_version_build(project, &wanted->candidate, candidate, &out->candidate, err));
  const char *operator_name = out->candidate.ready.spec->operator_name;
  if (!pawl_text_equal(out->base.ready.spec->operator_name, operator_name))
    return pawl_fail(err, PAWL_USAGE, "cannot compare '%s' with '%s': their operators differ", base,
                     candidate);
  out->name = wanted->candidate.kernel     ? wanted->candidate.text
              : wanted->candidate.revision ? pawl_arena_printf(&project->arena, "%s@%s", candidate,
                                                               wanted->candidate.revision)
                                           : candidate;
  if (operator_name) {
    PAWL_TRY(pawl_project_oracle(project, operator_name, &out->oracle, err));
    PAWL_TRY(pawl_base_oracle_use(project, out->candidate.ready.spec, out->oracle, err));
    return pawl_operator_cases(&project->suite, &out->oracle->info, wanted->only_case, NULL,
                               &project->arena, &out->cases, &out->count, err);
  }
  if (pawl_kernel_is_harness(out->candidate.ready.spec))
    return find_benchmarks(project, wanted, out, err);
  out->cases = pawl_arena_alloc(&project->arena, 1, sizeof *out->cases);
  out->cases[0] = pawl_command_case(&project->suite);
  out->count = 1;
  return PAWL_OK;
}

static pawl_status find_pairs(struct pawl_project *project,
                              const struct pawl_version_comparison *wanted,
                              struct version_pair *pairs, size_t *count, struct pawl_error *err) {
  const struct pawl_suite *suite = &project->suite;
  const char *base = wanted->base.kernel, *candidate = wanted->candidate.kernel;
  *count = 0;
  if (base || candidate) {
    PAWL_TRY(make_pair(project, wanted, base ? base : candidate, candidate ? candidate : base,
                       &pairs[0], err));
    *count = 1;
    return PAWL_OK;
  }
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const char *name = suite->kernels[i].name;
    if (suite->kernels[i].reference) continue;
    PAWL_TRY(make_pair(project, wanted, name, name, &pairs[(*count)++], err));
  }
  return PAWL_OK;
}

static pawl_status compare_add_rows(struct pawl_project *project, const struct version_pair *pair,
                                    const struct pawl_paired_test *tests,
                                    const struct pawl_paired_bench_outcome *outcomes,
                                    struct pawl_ratchet_report *out, struct pawl_error *err) {
  for (size_t i = 0; i < pair->count; i++) {
    struct pawl_ratchet_row *row = &out->rows[out->count++];
    struct pawl_comparison *item = &row->comparison;
    const bool is_new =
        !pair->oracle &&
        outcomes[i].base == PAWL_OUTCOME_INCONCLUSIVE; /* a benchmark of a harness */
    if (outcomes[i].base != PAWL_OUTCOME_OK && !is_new)
      return pawl_fail(err, PAWL_FAILED, "the base fails on case '%s': %s", pair->cases[i].name,
                       outcomes[i].reason);
    pawl_comparison_init(item);
    item->kernel_name = pair->name;
    item->config = pair->cases[i];
    for (size_t j = 0; j < outcomes[i].left.count; j++)
      pawl_log_warning(project->options.log, "only the base has the benchmark '%s'",
                       outcomes[i].left.items[j]);
    if (is_new) {
      item->verdict = PAWL_VERDICT_NEW;
      item->reason = "the base does not have this benchmark";
      continue;
    }
    row->paired = &tests[i];
    if (outcomes[i].candidate == PAWL_OUTCOME_OK) {
      PAWL_TRY(pawl_paired_test_compare(row->paired, &project->arena, item, err));
    } else {
      item->verdict = outcomes[i].candidate == PAWL_OUTCOME_INCONCLUSIVE ? PAWL_VERDICT_INCONCLUSIVE
                                                                         : PAWL_VERDICT_BROKEN;
      item->reason = outcomes[i].reason;
    }
  }
  return PAWL_OK;
}

static pawl_status measure_pair(struct pawl_project *project,
                                const struct pawl_version_comparison *wanted,
                                const struct version_pair *pair, int comparisons,
                                struct pawl_ratchet_report *out, struct pawl_error *err) {
  struct pawl_arena *arena = &project->arena;
  struct pawl_paired_bench_request *requests =
      pawl_arena_alloc(arena, pair->count + 1, sizeof *requests);
  struct pawl_paired_bench_outcome *outcomes =
      pawl_arena_alloc(arena, pair->count + 1, sizeof *outcomes);
  struct pawl_paired_test *tests = pawl_arena_alloc(arena, pair->count + 1, sizeof *tests);
  for (size_t i = 0; i < pair->count; i++)
    requests[i] = (struct pawl_paired_bench_request){
        .base = &pair->base.ready,
        .candidate = &pair->candidate.ready,
        .oracle = pair->oracle,
        .config = &pair->cases[i],
        .anchor = wanted->base.revision ? pair->base.commit : NULL,
        .anchor_kind = wanted->base.revision ? PAWL_ANCHOR_REVISION : PAWL_ANCHOR_UNKNOWN,
        .identical = pawl_same_machine_code(&pair->base.ready, &pair->candidate.ready),
        .comparisons = comparisons,
        .deadline_ns = wanted->deadline_ns,
        .seed = wanted->seed,
        .input_seed = PAWL_DEFAULT_SEED};
  PAWL_TRY(pawl_paired_bench(project, requests, pair->count, tests, outcomes, err));
  return compare_add_rows(project, pair, tests, outcomes, out, err);
}

pawl_status pawl_compare_paired(struct pawl_project *project,
                                const struct pawl_version_comparison *wanted,
                                struct pawl_ratchet_report *out, struct pawl_error *err) {
  struct pawl_version_comparison seeded = *wanted;
  struct pawl_ratchet_report report = {0};
  struct version_pair *pairs =
      pawl_arena_alloc(&project->arena, project->suite.kernel_count + 1, sizeof *pairs);
  size_t count, rows = 0;
  if (!seeded.seed) PAWL_TRY(pawl_entropy_seed(&seeded.seed, err));
  PAWL_TRY(find_pairs(project, wanted, pairs, &count, err));
  for (size_t i = 0; i < count; i++) rows += pairs[i].count;
  if (rows == 0) return pawl_fail(err, PAWL_USAGE, "there is no kernel and case to compare");
  report.rows = pawl_arena_alloc(&project->arena, rows, sizeof *report.rows);
  pawl_devices_lock_clocks(&project->devices, &project->suite.measure, project->options.log);
  for (size_t i = 0; i < count; i++)
    PAWL_TRY(measure_pair(project, &seeded, &pairs[i], (int)rows, &report, err));
  PAWL_TRY(pawl_ratchet_discover(&report, &project->arena, err));
  for (size_t i = 0; i < report.count; i++)
    pawl_ratchet_count(&report, report.rows[i].comparison.verdict);
  *out = report;
  return PAWL_OK;
}
