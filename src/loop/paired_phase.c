/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/paired_phase.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "gate/discovery.h"
#include "gate/row_match.h"
#include "loop/bench_phase.h"
#include "loop/pair_setup.h"
#include "loop/parent_pairs.h"
#include "measure/result_builder.h"
#include "pairs/bench.h"
#include "process/sandbox.h"
#include "project/bench_row.h"

#define BENCHMARKS_OF_SHARDS 100 /* benchmarks of a harness, more than most have */
#define MOST_LEFT 20             /* the notice names at most this number of benchmarks */

struct paired_phase {
  const struct pawl_run_context *run;
  const struct pawl_arm_pairs *pairs; /* the pairs to measure */
  /* the candidates against their anchors: `pairs` itself, or the pairs that `pairs` comes from */
  const struct pawl_arm_pairs *anchored;
  const struct pawl_baseline *baseline;
  struct pawl_results *results;
  struct pawl_paired_tests *tests;
  struct pawl_early_pairs *early;
  int comparisons; /* these share the rate of false alarms */
};

static struct pawl_result *paired_phase_find_row(const struct paired_phase *phase,
                                                 const char *kernel_name, const char *case_name) {
  for (size_t i = 0; i < phase->results->count; i++) {
    struct pawl_result *row = &phase->results->items[i];
    if (!strcmp(row->kernel_name, kernel_name) && row->config.name &&
        !strcmp(row->config.name, case_name))
      return row;
  }
  return NULL;
}

static struct pawl_result *paired_phase_result(const struct paired_phase *phase,
                                               const struct pawl_arm_pair *pair) {
  return paired_phase_find_row(phase, pair->candidate->spec->name, pair->config->name);
}

/* Only the candidate's blocks against its anchor give the row, so there is one. */
static bool gives_row(const struct paired_phase *phase, const struct pawl_arm_pair *pair) {
  return phase->pairs == phase->anchored && pawl_arm_pair_times_candidate(pair);
}

static void paired_phase_warn(struct pawl_result *row, struct pawl_arena *arena, const char *text) {
  if (!text) return;
  const char **grown = pawl_arena_alloc(arena, row->warning_count + 1, sizeof *grown);
  if (row->warning_count) memcpy(grown, row->warnings, row->warning_count * sizeof *grown);
  grown[row->warning_count++] = text;
  row->warnings = grown;
}

/* Compares with the row's own times, which have no process beside them. */
static void warn_beside_bench(const struct paired_phase *phase, struct pawl_result *row,
                              const struct pawl_paired_test *test, double paired_cpus) {
  struct pawl_arena *arena = &phase->run->project->arena;
  const json_t *used = json_object_get(row->environment, PAWL_CPUS_USED);
  const double alone_cpus = json_is_number(used) ? json_number_value(used) : (double)NAN;
  paired_phase_warn(row, arena,
                    pawl_paired_test_beside_bench(test, row->performance.median_ms, paired_cpus,
                                                  alone_cpus, arena));
}

/* Compares the base's time with the time that the baseline has of it. */
static void warn_beside_entry(const struct paired_phase *phase, struct pawl_result *row,
                              const struct pawl_paired_test *test) {
  const struct pawl_baseline_entry *entry = pawl_baseline_find(
      phase->baseline, test->kernel_name, test->case_name, phase->results->hardware);
  if (!entry || !pawl_text_equal(entry->git_commit, test->anchor) ||
      !pawl_shapes_agree(&entry->config, test->config))
    return;
  struct pawl_arena *arena = &phase->run->project->arena;
  paired_phase_warn(row, arena, pawl_paired_test_beside_entry(test, entry, arena));
}

static bool is_dead(enum pawl_outcome outcome) {
  return outcome == PAWL_OUTCOME_CRASHED || outcome == PAWL_OUTCOME_HUNG;
}

/* Keeps the test of a pair if both arms are OK. */
static void keep_test(const struct paired_phase *phase, const struct pawl_arm_pair *pair,
                      const struct pawl_paired_test *test,
                      const struct pawl_paired_bench_outcome *outcome) {
  struct pawl_project *project = phase->run->project;
  if (outcome->own)
    pawl_bench_row_add(project, pair->candidate, pair->config, outcome->own, phase->results);
  struct pawl_result *row = paired_phase_result(phase, pair);
  if (outcome->candidate == PAWL_OUTCOME_INCONCLUSIVE && !test->block_count && !test->identical &&
      (!row || phase->pairs != phase->anchored))
    return; /* the budget ended first */
  /* A base that fails too is no excuse. */
  if (row && (outcome->candidate == PAWL_OUTCOME_WRONG || is_dead(outcome->candidate))) {
    row->outcome = outcome->candidate;
    row->reason = outcome->reason;
  }
  if (outcome->base != PAWL_OUTCOME_OK) {
    struct pawl_arena *arena = &project->arena;
    const bool is_new =
        outcome->base == PAWL_OUTCOME_INCONCLUSIVE && pawl_kernel_is_harness(pair->candidate->spec);
    const char *why =
        is_new
            ? pawl_arena_printf(arena, "the base %.12s does not have this benchmark", pair->anchor)
            : pawl_arena_printf(arena, "the base %.12s fails: %s", pair->anchor, outcome->reason);
    pawl_arm_pair_note_unpaired(phase->run, pair, why);
    return;
  }
  if (outcome->candidate != PAWL_OUTCOME_OK && row) {
    row->outcome = outcome->candidate;
    row->reason = outcome->reason;
    return;
  }
  if (outcome->own && row->outcome != PAWL_OUTCOME_OK) return;
  if (row && phase->pairs == phase->anchored && !outcome->own) /* one warning for each row */
    warn_beside_bench(phase, row, test, outcome->cpus_used);
  if (row && phase->pairs == phase->anchored) warn_beside_entry(phase, row, test);
  phase->tests->items[phase->tests->count++] = *test;
}

/* pawl does not decide a pair whose GPU is lost. Arms of the same code need no GPU. */
static bool leave_out_lost(const struct paired_phase *phase, const struct pawl_arm_pair *pair) {
  const char *lost = phase->run->project->devices.gpu_lost;
  struct pawl_result *row = paired_phase_result(phase, pair);
  if (!lost || pair->candidate->spec->device != PAWL_CUDA || pair->identical) return false;
  if (row && row->outcome == PAWL_OUTCOME_OK) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = lost;
  }
  return true;
}

/* The budget is over before the first block. A row that was timed has no verdict without blocks. */
static bool leave_out_late(const struct paired_phase *phase, const struct pawl_arm_pair *pair) {
  struct pawl_result *row = paired_phase_result(phase, pair);
  if (!pawl_budget_is_over() || pair->identical) return false;
  if (row && row->outcome == PAWL_OUTCOME_OK && phase->pairs == phase->anchored) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = pawl_budget_words();
  }
  return true;
}

static bool is_measurable(const struct paired_phase *phase, const struct pawl_arm_pair *pair) {
  const struct pawl_result *row = paired_phase_result(phase, pair);
  if (!pair->paired || pair->candidate->outcome != PAWL_OUTCOME_OK) return false;
  /* A row without a time comes from a busy machine or a spent budget. The blocks judge alone. */
  if (row) return row->outcome == PAWL_OUTCOME_OK || row->outcome == PAWL_OUTCOME_INCONCLUSIVE;
  if (gives_row(phase, pair)) return true;
  /* A kernel with its baseline's machine code was not timed alone, but may differ from the merge
     base. */
  return pawl_arm_pairs_leave_out(phase->anchored, pair->candidate->spec->name, pair->config->name);
}

static bool has_crashed(const struct pawl_paired_bench_outcome *outcomes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_dead(outcomes[i].candidate) || is_dead(outcomes[i].base)) return true;
  return false;
}

/* The same kernel against the same commit has the same two arms. A command has one case, and a
   harness measures all benchmarks in one run. */
static bool same_arms(const struct pawl_arm_pair *a, const struct pawl_arm_pair *b) {
  const struct pawl_kernel_spec *spec = a->candidate->spec;
  return a->candidate == b->candidate && (spec->operator_name || pawl_kernel_is_harness(spec)) &&
         !strcmp(a->anchor, b->anchor);
}

static bool paired_phase_failed(const struct paired_phase *phase, const char *kernel_name,
                                const char *case_name) {
  const struct pawl_result *row = paired_phase_find_row(phase, kernel_name, case_name);
  return row && pawl_outcome_fails(row->outcome);
}

/* The verdict then compares choices beside code. */
static void note_choices(const struct paired_phase *phase, const struct pawl_arm_pair *pair,
                         const struct pawl_paired_bench_outcome *outcome) {
  const struct pawl_run_context *run = phase->run;
  struct pawl_arena *arena = &run->project->arena;
  const char *base = outcome->chosen[0], *now = outcome->chosen[1];
  const char *what = NULL;
  if (outcome->chose_again)
    what = "did not choose the same configuration in all processes";
  else if (base && now && strcmp(base, now) != 0)
    what = pawl_arena_printf(arena, "chose '%s', and '%s' in %.12s", now, base, pair->anchor);
  if (what)
    pawl_strings_add(run->notices, arena,
                     pawl_arena_printf(arena,
                                       "the autotuner of %s on %s %s: the verdict is about its "
                                       "choices too; give the kernel params and use pawl tune",
                                       pair->candidate->spec->name, pair->config->name, what));
  const char *before = outcome->launched[0], *after = outcome->launched[1];
  if (before && after && !strcmp(before, after))
    pawl_strings_add(
        run->notices, arena,
        pawl_arena_printf(arena,
                          "%s on %s launched the machine code of %.12s, with the same "
                          "grids",
                          pair->candidate->spec->name, pair->config->name, pair->anchor));
}

/* Notes benchmarks that only the base's file has. Benchmarks of the baseline, and benchmarks that
   failed, have a row that says so. */
static void note_left(const struct paired_phase *phase, const struct pawl_arm_pair *pair,
                      const struct pawl_strings *left) {
  const struct pawl_run_context *run = phase->run;
  const struct pawl_kernel_spec *spec = pair->candidate->spec;
  struct pawl_arena *arena = &run->project->arena;
  size_t said = 0, more = 0;
  for (size_t i = 0; i < left->count && phase->pairs == phase->anchored; i++) {
    const char *name = left->items[i];
    if (!pawl_selection_has(&run->options->selection, &run->project->suite, spec->name, name))
      continue;
    if (paired_phase_failed(phase, spec->name, name)) continue;
    if (said++ >= MOST_LEFT)
      more++;
    else
      pawl_strings_add(
          run->notices, arena,
          pawl_arena_printf(arena, "the benchmark '%s' left the file of '%s'; %.12s has it", name,
                            spec->name, pair->anchor));
  }
  if (more)
    pawl_strings_add(
        run->notices, arena,
        pawl_arena_printf(arena, "%zu more benchmarks left the file of '%s'", more, spec->name));
}

static pawl_status measure_kernel(const struct paired_phase *phase, size_t first, size_t *end,
                                  struct pawl_error *err);

/* The GPU is lost, so pawl leaves out the pairs that need it. */
static pawl_status leave_kernel(const struct paired_phase *phase,
                                struct pawl_paired_bench_outcome *outcomes, size_t count,
                                size_t first, size_t *end, struct pawl_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (!outcomes[i].own) continue;
    json_decref(outcomes[i].own->environment);
    json_decref(outcomes[i].own->gpu_state);
  }
  return measure_kernel(phase, first, end, err);
}

/* The run goes on if an arm fails to start. pawl then measures the row alone, or the row gives the
   reason. */
static pawl_status leave_unstarted(const struct paired_phase *phase,
                                   const struct pawl_arm_pair *const *pairs, size_t count,
                                   enum pawl_status_code status, const struct pawl_error *err) {
  struct pawl_arena *arena = &phase->run->project->arena;
  struct pawl_ready_kernel candidate = *pairs[0]->candidate;
  if (!gives_row(phase, pairs[0]) || !pawl_kernel_cannot_start(&candidate, status, err, arena))
    return status;
  for (size_t i = 0; i < count; i++)
    pawl_arm_pair_note_unpaired(phase->run, pairs[i], candidate.reason);
  return PAWL_OK;
}

/* Returns whether the processes of its first blocks have started: the check starts the first pair
 * on a GPU. */
static bool is_early(const struct paired_phase *phase, const struct pawl_arm_pair *pair) {
  const struct pawl_arm_pair *early = phase->early ? phase->early->pair : NULL;
  return early && phase->pairs == phase->anchored && early->candidate == pair->candidate &&
         early->config == pair->config;
}

/* Measures the pair `first` and the next pairs with the same arms. *end: the first pair after
   them. */
static pawl_status measure_kernel(const struct paired_phase *phase, size_t first, size_t *end,
                                  struct pawl_error *err) {
  struct pawl_project *project = phase->run->project;
  const struct pawl_arm_pair *all = phase->pairs->items;
  const size_t room = phase->pairs->count - first;
  struct pawl_paired_bench_request *requests =
      pawl_arena_alloc(&project->arena, room, sizeof *requests);
  const struct pawl_arm_pair **pairs = pawl_arena_alloc(&project->arena, room, sizeof *pairs);
  size_t count = 0, next = first;
  for (; next < phase->pairs->count && (next == first || same_arms(&all[first], &all[next]));
       next++) {
    if (leave_out_lost(phase, &all[next]) || leave_out_late(phase, &all[next])) continue;
    if (!is_measurable(phase, &all[next])) continue;
    PAWL_TRY(pawl_pair_set_up(phase->run, &all[next], phase->comparisons, &requests[count], err));
    requests[count].own_row = gives_row(phase, &all[next]);
    pairs[count++] = &all[next];
  }
  *end = next;
  struct pawl_paired_test *tests = pawl_arena_alloc(&project->arena, count + 1, sizeof *tests);
  struct pawl_paired_bench_outcome *outcomes =
      pawl_arena_alloc(&project->arena, count + 1, sizeof *outcomes);
  if (count && is_early(phase, pairs[0])) {
    pawl_early_pairs_settle(phase->early);
    requests[0].early = &phase->early->waiting;
    requests[0].problem = &phase->early->problem;
  } else if (count) {
    pawl_early_pairs_end(phase->early);
  }
  const enum pawl_status_code status =
      pawl_paired_bench(project, requests, count, tests, outcomes, err);
  const bool suspect =
      status == PAWL_UNAVAILABLE || (status == PAWL_OK && has_crashed(outcomes, count));
  if (suspect && pawl_devices_lost(&project->devices, all[first].candidate->spec->device))
    return leave_kernel(phase, outcomes, count, first, end, err);
  if (status != PAWL_OK) return leave_unstarted(phase, pairs, count, status, err);
  for (size_t i = 0; i < count; i++) {
    note_left(phase, pairs[i], &outcomes[i].left);
    note_choices(phase, pairs[i], &outcomes[i]);
    keep_test(phase, pairs[i], &tests[i], &outcomes[i]);
  }
  return PAWL_OK;
}

/* Estimates the number of benchmarks of all harnesses, less one each. A shard knows those of the
   baseline and its own, and allows for those of other shards. */
static int count_benchmarks(const struct pawl_suite *suite, const struct pawl_arm_pairs *pairs,
                            const struct pawl_baseline *baseline, const char *hardware) {
  int more = 0;
  for (size_t i = 0; i < suite->kernel_count; i++) {
    const struct pawl_kernel_spec *spec = &suite->kernels[i];
    int known = 0, here = 0;
    if (!pawl_kernel_is_harness(spec) || spec->reference) continue;
    for (size_t j = 0; j < baseline->count; j++)
      known += pawl_baseline_find(baseline, spec->name, baseline->entries[j].case_name, hardware) ==
               &baseline->entries[j];
    for (size_t j = 0; j < pairs->count; j++)
      here += !strcmp(pairs->items[j].candidate->spec->name, spec->name);
    const int most = known > here ? known : here;
    more += (most > BENCHMARKS_OF_SHARDS ? most : BENCHMARKS_OF_SHARDS) - 1;
  }
  return more;
}

/* All shards share the rate of false alarms. Arms of the same code cannot raise one, but a shard
   does not know which arms the other shards find identical. */
static int paired_phase_comparisons(const struct paired_phase *phase,
                                    const struct pawl_baseline *baseline,
                                    const struct pawl_parents *parents) {
  const struct pawl_run_context *run = phase->run;
  const struct pawl_arm_pairs *pairs = phase->pairs;
  const struct pawl_suite *suite = &run->project->suite;
  int count = (int)parents->other.count;
  if (run->options->selection.count > 1)
    return 2 * (pawl_suite_units(suite) +
                count_benchmarks(suite, pairs, baseline, phase->results->hardware));
  for (size_t i = 0; i < pairs->count; i++)
    count += pairs->items[i].paired && !pairs->items[i].identical;
  return count > 0 ? count : 1;
}

static pawl_status measure_all(struct paired_phase *phase, struct pawl_paired_tests *out,
                               struct pawl_error *err) {
  struct pawl_arena *arena = &phase->run->project->arena;
  *out = (struct pawl_paired_tests){
      pawl_arena_alloc(arena, phase->pairs->count + 1, sizeof *out->items), 0};
  phase->tests = out;
  for (size_t i = 0; i < phase->pairs->count;) PAWL_TRY(measure_kernel(phase, i, &i, err));
  return PAWL_OK;
}

/* Calls the changes that the rows prove together. Against the merge base only losses count. Each of
   them is then a change of the document too, so the document proves the same. */
static void discover(const struct paired_phase *phase, struct pawl_paired_tests *tests,
                     bool losses) {
  struct pawl_paired_test **taken =
      pawl_arena_alloc(&phase->run->project->arena, tests->count + 1, sizeof *taken);
  size_t count = 0;
  for (size_t i = 0; i < tests->count; i++)
    if (!losses || tests->items[i].slowdown.estimate > 0) taken[count++] = &tests->items[i];
  pawl_paired_tests_discover(taken, count);
}

/* Without namespaces a kernel or a build has copies of its files in a folder whose name says
   nothing, but it can look for the repository. */
static void note_two_places(const struct pawl_run_context *run,
                            const struct pawl_paired_tests *tests) {
  size_t blocks = 0;
  for (size_t i = 0; i < tests->count; i++) blocks += tests->items[i].block_count;
  if (!blocks || pawl_sandbox_has_root()) return;
  pawl_strings_add(run->notices, &run->project->arena,
                   "this machine gives pawl no namespaces: each process and each build ran in a "
                   "new folder with copies of its version, but code that looks for the repository "
                   "can tell which version it is; 'pawl doctor' says why");
}

pawl_status pawl_paired_phase(const struct pawl_run_context *run,
                              const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                              const struct pawl_baseline *baseline, struct pawl_early_pairs *early,
                              struct pawl_results *results, struct pawl_paired_tests *out,
                              struct pawl_error *err) {
  struct pawl_parents parents;
  struct pawl_paired_tests tests, against_parents;
  PAWL_TRY(pawl_parents_find(run, pairs, &parents, err));
  struct paired_phase phase = {.run = run,
                               .pairs = pairs,
                               .anchored = pairs,
                               .early = early,
                               .baseline = baseline,
                               .results = results};
  phase.comparisons = paired_phase_comparisons(&phase, baseline, &parents);
  PAWL_TRY(measure_all(&phase, &tests, err));
  pawl_early_pairs_end(early);
  PAWL_TRY(
      pawl_bench_phase_rest(run->project, &run->options->selection, pairs, built, results, err));
  phase.pairs = &parents.other;
  PAWL_TRY(measure_all(&phase, &against_parents, err));
  discover(&phase, &tests, false);
  discover(&phase, &against_parents, true);
  pawl_parents_judge(run, pairs, &parents, &against_parents, &tests);
  note_two_places(run, &tests);
  *out = tests;
  return PAWL_OK;
}
