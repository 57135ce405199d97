/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/paired_phase.h"

#include <math.h>
#include <string.h>

#include "loop/operators.h"
#include "loop/paired_bench.h"
#include "loop/parent_pairs.h"
#include "measure/result_builder.h"

struct phase {
  struct pawl_run_context *run;
  const struct pawl_arm_pairs *pairs;    /* to be measured */
  const struct pawl_arm_pairs *anchored; /* the candidates against their anchors: `pairs`, or what they come from */
  struct pawl_results *results;
  struct pawl_paired_tests *tests;
  int comparisons; /* that share the rate of false alarms */
};

static struct pawl_result *find_result(const struct phase *phase, const struct pawl_arm_pair *pair) {
  for (size_t i = 0; i < phase->results->count; i++) {
    struct pawl_result *row = &phase->results->items[i];
    if (!strcmp(row->kernel_name, pair->candidate->spec->name) && row->config.name &&
        !strcmp(row->config.name, pair->config->name))
      return row;
  }
  return NULL;
}

static pawl_status make_request(const struct phase *phase, const struct pawl_arm_pair *pair,
                                struct pawl_paired_bench_request *out, struct pawl_error *err) {
  struct pawl_oracle *oracle = NULL; /* of a command */
  const char *operator_name = pair->candidate->spec->operator_name;
  if (operator_name) PAWL_TRY(pawl_project_oracle(phase->run->project, operator_name, &oracle, err));
  *out = (struct pawl_paired_bench_request){.base = &pair->base,
                                            .candidate = pair->candidate,
                                            .oracle = oracle,
                                            .config = pair->config,
                                            .anchor = pair->anchor,
                                            .anchor_kind = pair->anchor_kind,
                                            .comparisons = phase->comparisons,
                                            .confirm = phase->run->options->update_baseline,
                                            .seed = phase->run->seed,
                                            .input_seed = PAWL_DEFAULT_SEED};
  return PAWL_OK;
}

/* The row's own times were taken alone. */
static void warn_beside_bench(const struct phase *phase, struct pawl_result *row, const struct pawl_paired_test *test,
                              double paired_cpus) {
  struct pawl_arena *arena = &phase->run->project->arena;
  const json_t *used = json_object_get(row->environment, PAWL_CPUS_USED);
  const double alone_cpus = json_is_number(used) ? json_number_value(used) : (double)NAN;
  const char *text = pawl_paired_test_beside_bench(test, row->performance.median_ms, paired_cpus, alone_cpus, arena);
  if (!text) return;
  const char **grown = pawl_arena_alloc(arena, row->warning_count + 1, sizeof *grown);
  if (row->warning_count) memcpy(grown, row->warnings, row->warning_count * sizeof *grown);
  grown[row->warning_count++] = text;
  row->warnings = grown;
}

/* What a pair came to: kept where both arms did well. */
static void keep_test(const struct phase *phase, const struct pawl_arm_pair *pair, const struct pawl_paired_test *test,
                      const struct pawl_paired_bench_outcome *outcome) {
  struct pawl_result *row = find_result(phase, pair);
  if (outcome->base != PAWL_OUTCOME_OK) {
    const char *why =
        pawl_arena_printf(&phase->run->project->arena, "the base %.12s fails: %s", pair->anchor, outcome->reason);
    pawl_arm_pair_note_unpaired(phase->run, pair, why);
    return;
  }
  if (outcome->candidate != PAWL_OUTCOME_OK && row) {
    row->outcome = outcome->candidate;
    row->reason = outcome->reason;
    return;
  }
  if (row && phase->pairs == phase->anchored) warn_beside_bench(phase, row, test, outcome->cpus_used); /* once a row */
  phase->tests->items[phase->tests->count++] = *test;
}

/* A pair whose GPU is lost is not decided; arms of the same code need no GPU. */
static bool leave_out_lost(const struct phase *phase, const struct pawl_arm_pair *pair) {
  const char *lost = phase->run->project->devices.gpu_lost;
  struct pawl_result *row = find_result(phase, pair);
  if (!lost || pair->candidate->spec->device != PAWL_CUDA || pair->identical) return false;
  if (row && row->outcome == PAWL_OUTCOME_OK) {
    row->outcome = PAWL_OUTCOME_INCONCLUSIVE;
    row->reason = lost;
  }
  return true;
}

static bool is_measurable(const struct phase *phase, const struct pawl_arm_pair *pair) {
  const struct pawl_result *row = find_result(phase, pair);
  if (!pair->paired) return false;
  if (row) return row->outcome == PAWL_OUTCOME_OK;
  /* one with its baseline's machine code was not measured alone, and may yet differ from the merge base */
  return pawl_arm_pairs_identical(phase->anchored, pair->candidate->spec->name, pair->config->name);
}

static bool has_crashed(const struct pawl_paired_bench_outcome *outcomes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (outcomes[i].candidate == PAWL_OUTCOME_CRASHED || outcomes[i].base == PAWL_OUTCOME_CRASHED) return true;
  return false;
}

/* The same kernel against the same commit: the same two arms. A command is measured by itself. */
static bool same_arms(const struct pawl_arm_pair *a, const struct pawl_arm_pair *b) {
  return a->candidate == b->candidate && a->candidate->spec->operator_name && !strcmp(a->anchor, b->anchor);
}

/* Measures the pair `first` and those after it that have the same arms; *end: the first that was not looked at. */
static pawl_status measure_kernel(const struct phase *phase, size_t first, size_t *end, struct pawl_error *err) {
  struct pawl_project *project = phase->run->project;
  const struct pawl_arm_pair *all = phase->pairs->items;
  const size_t room = phase->pairs->count - first;
  struct pawl_paired_bench_request *requests = pawl_arena_alloc(&project->arena, room, sizeof *requests);
  const struct pawl_arm_pair **pairs = pawl_arena_alloc(&project->arena, room, sizeof *pairs);
  size_t count = 0, at = first;
  for (; at < phase->pairs->count && (at == first || same_arms(&all[first], &all[at])); at++) {
    if (leave_out_lost(phase, &all[at]) || !is_measurable(phase, &all[at])) continue;
    PAWL_TRY(make_request(phase, &all[at], &requests[count], err));
    pairs[count++] = &all[at];
  }
  *end = at;
  struct pawl_paired_test *tests = pawl_arena_alloc(&project->arena, count + 1, sizeof *tests);
  struct pawl_paired_bench_outcome *outcomes = pawl_arena_alloc(&project->arena, count + 1, sizeof *outcomes);
  const enum pawl_status_code status = pawl_paired_bench(project, requests, count, tests, outcomes, err);
  const bool suspect = status == PAWL_UNAVAILABLE || (status == PAWL_OK && has_crashed(outcomes, count));
  if (suspect && pawl_devices_lost(&project->devices, all[first].candidate->spec->device))
    return measure_kernel(phase, first, end, err); /* which leaves what needs the GPU */
  if (status != PAWL_OK) return status;
  for (size_t i = 0; i < count; i++) keep_test(phase, pairs[i], &tests[i], &outcomes[i]);
  return PAWL_OK;
}

/* Arms of the same code cannot raise a false alarm. The rate of false alarms is that of all shards together, and which
   arms the others find identical is not known. */
static int count_comparisons(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                             const struct pawl_parents *parents) {
  int count = (int)parents->other.count;
  if (run->options->shard.count > 1) return 2 * pawl_suite_units(&run->project->suite);
  for (size_t i = 0; i < pairs->count; i++)
    count += pairs->items[i].paired && !pawl_same_machine_code(&pairs->items[i].base, pairs->items[i].candidate);
  return count > 0 ? count : 1;
}

static pawl_status measure_all(struct phase *phase, struct pawl_paired_tests *out, struct pawl_error *err) {
  struct pawl_arena *arena = &phase->run->project->arena;
  *out = (struct pawl_paired_tests){pawl_arena_alloc(arena, phase->pairs->count + 1, sizeof *out->items), 0};
  phase->tests = out;
  for (size_t i = 0; i < phase->pairs->count;) PAWL_TRY(measure_kernel(phase, i, &i, err));
  return PAWL_OK;
}

pawl_status pawl_measure_pairs(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                               struct pawl_results *results, struct pawl_paired_tests *out, struct pawl_error *err) {
  struct pawl_parents parents;
  struct pawl_paired_tests tests, against_parents;
  PAWL_TRY(pawl_parents_find(run, pairs, &parents, err));
  const int comparisons = count_comparisons(run, pairs, &parents);
  struct phase phase = {.run = run, .pairs = pairs, .anchored = pairs, .results = results, .comparisons = comparisons};
  PAWL_TRY(measure_all(&phase, &tests, err));
  phase.pairs = &parents.other;
  PAWL_TRY(measure_all(&phase, &against_parents, err));
  pawl_parents_judge(run, pairs, &parents, &against_parents, &tests);
  *out = tests;
  return PAWL_OK;
}
