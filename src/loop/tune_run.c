/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "loop/operators.h"
#include "loop/paired_bench.h"
#include "loop/tune_screen.h"
#include "stats/describe.h"

#define MAX_RANKED 5u         /* of the screening's best, timed again */
#define RANKING_BLOCKS 4      /* each, anew: they alone rank */
#define MAX_FINALISTS 3u      /* judged, one after another, until one is proven faster */
#define JUDGING_SHARE 0.85    /* of the budget: no finalist is begun after it */
#define RANKING_SEED 2000000u /* added: other blocks than the screening's and the verdict's */
#define OTHERS_SEED 3000000u

/* --- before the search --- */

static pawl_status find_kernel(struct pawl_tuning *tuning, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t count;
  char *name = pawl_arena_copy(&tuning->project->arena, tuning->options->kernel);
  PAWL_TRY(pawl_project_kernels(tuning->project, &name, 1, &specs, &count, err));
  tuning->spec = specs[0];
  return pawl_space_init(&tuning->space, tuning->spec, tuning->project->suite.path, &tuning->project->arena, err);
}

static pawl_status find_case(struct pawl_tuning *tuning, struct pawl_error *err) {
  const char *wanted = tuning->options->case_name;
  PAWL_TRY(pawl_project_oracle(tuning->project, tuning->spec->operator_name, &tuning->oracle, err));
  PAWL_TRY(pawl_project_cases(tuning->project, tuning->oracle, NULL, NULL, &tuning->cases, &tuning->case_count, err));
  for (size_t i = 0; i < tuning->case_count; i++) {
    if (wanted ? !strcmp(tuning->cases[i].name, wanted) : tuning->case_count == 1) tuning->config = &tuning->cases[i];
  }
  if (tuning->config) return PAWL_OK;
  if (wanted)
    return pawl_fail(err, PAWL_USAGE, "case '%s' does not fit kernel '%s': it belongs to another operator", wanted,
                     tuning->spec->name);
  return pawl_fail(err, PAWL_USAGE, "kernel '%s' has %zu cases: choose one with --case", tuning->spec->name,
                   tuning->case_count);
}

/* The current code must work: it is what the candidates are measured against. */
static pawl_status prepare_base(struct pawl_tuning *tuning, struct pawl_error *err) {
  enum pawl_outcome outcome;
  const char *reason;
  PAWL_TRY(pawl_project_ready(tuning->project, tuning->spec, &tuning->base, err));
  if (tuning->base.outcome == PAWL_OUTCOME_ABSENT)
    return pawl_fail(err, PAWL_UNAVAILABLE, "kernel '%s' cannot run: %s", tuning->spec->name, tuning->base.reason);
  if (tuning->base.diagnostics) pawl_log_info(tuning->project->options.log, "%s", tuning->base.diagnostics);
  if (tuning->base.outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' does not build with its current parameters: %s", tuning->spec->name,
                     tuning->base.reason);
  /* asked for again: now that a kernel is ready the GPU may answer too */
  PAWL_TRY(pawl_project_oracle(tuning->project, tuning->spec->operator_name, &tuning->oracle, err));
  PAWL_TRY(pawl_tuning_check(tuning, &tuning->base, &outcome, &reason, err));
  if (outcome != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails its check with its current parameters: %s",
                     tuning->spec->name, reason ? reason : pawl_outcome_name(outcome));
  return PAWL_OK;
}

static const char *current_key(const struct pawl_tuning *tuning) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < tuning->spec->param_count; i++)
    pawl_text_printf(&text, "%s%s=%s", i ? "," : "", tuning->spec->params[i].name, tuning->spec->params[i].value);
  return pawl_arena_copy(&tuning->project->arena, pawl_text_string(&text));
}

static void describe(struct pawl_tuning *tuning) {
  struct pawl_project *project = tuning->project;
  const struct pawl_device *device = pawl_devices_find(&project->devices, tuning->spec->device, NULL);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text identity = {0};
  char now[20];
  pawl_device_identity(device, &identity);
  pawl_format_time(pawl_wall_clock(), now);
  tuning->tune = (struct pawl_tune){.kernel_name = tuning->spec->name,
                                    .case_name = tuning->config->name,
                                    .hardware = pawl_arena_copy(&project->arena, pawl_text_string(&identity)),
                                    .hardware_name = device->name,
                                    .commit = project->git.commit,
                                    .timestamp = pawl_arena_copy(&project->arena, now),
                                    .strategy = tuning->options->strategy,
                                    .seed = tuning->options->seed,
                                    .budget_seconds = tuning->options->budget_seconds,
                                    .improve = project->suite.gate.improve,
                                    .space = &tuning->space,
                                    .current = current_key(tuning)};
}

/* What the times in the journal depend on. Without a code hash the plug-in's build folder, which is named by the
   commands and tools, stands for it. */
static json_t *identity_of(const struct pawl_tuning *tuning) {
  json_t *object = json_object(), *axes = json_object();
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  const char *code = tuning->base.build.code_hash;
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)tuning->options->seed);
  pawl_case_key(tuning->config, &shape);
  pawl_json_set_int(object, "schema_version", PAWL_TUNE_SCHEMA);
  pawl_json_set_string(object, "kernel_name", tuning->spec->name);
  pawl_json_set_string(object, "case", tuning->config->name);
  pawl_json_set_string(object, "shape", pawl_text_string(&shape));
  pawl_json_set_string(object, "hardware", tuning->tune.hardware);
  pawl_json_set_string(object, "code", code ? code : tuning->base.build.plugin);
  pawl_json_set_string(object, "toolchain", tuning->base.build.toolchain);
  pawl_json_set_string(object, "strategy", tuning->options->strategy);
  pawl_json_set_string(object, "seed", seed);
  for (size_t i = 0; i < tuning->space.axis_count; i++) {
    json_t *values = json_array();
    for (size_t j = 0; j < tuning->space.axes[i].count; j++)
      json_array_append_new(values, json_string(tuning->space.axes[i].values[j].word));
    pawl_json_set(axes, tuning->space.axes[i].name, values);
  }
  pawl_json_set(object, "space", axes);
  return object;
}

/* --- after the screening --- */

struct ranked {
  size_t candidate;
  double ratio; /* to the current time */
};

static int by_ratio(const void *a, const void *b) {
  const struct ranked *left = a, *right = b;
  if (left->ratio != right->ratio) return left->ratio < right->ratio ? -1 : 1;
  return left->candidate < right->candidate ? -1 : left->candidate > right->candidate;
}

static struct pawl_paired_bench_request request_of(const struct pawl_tuning *tuning,
                                                   const struct pawl_ready_kernel *kernel,
                                                   const struct pawl_case *config, int comparisons) {
  return (struct pawl_paired_bench_request){.base = &tuning->base,
                                            .candidate = kernel,
                                            .oracle = tuning->oracle,
                                            .config = config,
                                            .anchor = tuning->project->git.commit,
                                            .anchor_kind = PAWL_ANCHOR_PARAMETERS,
                                            .comparisons = comparisons,
                                            .seed = tuning->options->seed,
                                            .input_seed = tuning->options->seed};
}

/* A few more blocks: the screening's own figures are the luckiest of many. NaN: it failed. */
static pawl_status time_again(struct pawl_tuning *tuning, size_t candidate, double *ratio, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_ready_kernel kernel;
  struct pawl_paired_test paired;
  struct pawl_paired_bench_outcome outcome;
  PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[candidate].index, &kernel, err));
  *ratio = NAN;
  if (kernel.outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  struct pawl_paired_bench_request request = request_of(tuning, &kernel, tuning->config, 1);
  request.arena = &arena;
  request.seed += RANKING_SEED;
  request.max_blocks = RANKING_BLOCKS;
  PAWL_TRY(pawl_paired_bench(tuning->project, &request, 1, &paired, &outcome, err));
  if (outcome.candidate != PAWL_OUTCOME_OK || outcome.base != PAWL_OUTCOME_OK || !paired.block_count) return PAWL_OK;
  double ratios[RANKING_BLOCKS];
  struct pawl_summary summary;
  for (size_t i = 0; i < paired.block_count; i++) ratios[i] = paired.blocks[i].candidate_ms / paired.blocks[i].base_ms;
  PAWL_TRY(pawl_summarize(ratios, paired.block_count, &summary, err));
  *ratio = summary.median;
  return PAWL_OK;
}

/* The candidates that look faster, the best first; each machine code once. */
static pawl_status rank(struct pawl_tuning *tuning, struct ranked **out, size_t *out_count, struct pawl_error *err) {
  const struct pawl_tune *tune = &tuning->tune;
  struct ranked *ranked = pawl_arena_alloc(&tuning->project->arena, tune->count + 1, sizeof *ranked);
  size_t count = 0, kept = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    const double ratio = candidate->median_ms / candidate->base_ms;
    if (candidate->outcome == PAWL_OUTCOME_OK && !candidate->same_as && ratio < 1)
      ranked[count++] = (struct ranked){i, ratio};
  }
  qsort(ranked, count, sizeof *ranked, by_ratio);
  if (count > MAX_RANKED) count = MAX_RANKED;
  for (size_t i = 0; i < count; i++) {
    double ratio;
    pawl_log_progress(tuning->project->options.log, "timing %s again", tune->candidates[ranked[i].candidate].key);
    PAWL_TRY(time_again(tuning, ranked[i].candidate, &ratio, err));
    if (ratio < 1) ranked[kept++] = (struct ranked){ranked[i].candidate, ratio};
  }
  qsort(ranked, kept, sizeof *ranked, by_ratio);
  *out = ranked;
  *out_count = kept < MAX_FINALISTS ? kept : MAX_FINALISTS;
  return PAWL_OK;
}

static pawl_status judge(struct pawl_tuning *tuning, size_t candidate, int comparisons,
                         struct pawl_ready_kernel *kernel, struct pawl_tune_finalist *out, struct pawl_error *err) {
  *out = (struct pawl_tune_finalist){.candidate = candidate, .speedup = NAN, .low = NAN, .high = NAN};
  pawl_paired_test_init(&out->paired);
  PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[candidate].index, kernel, err));
  out->outcome = kernel->outcome;
  out->reason = kernel->reason;
  if (kernel->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  struct pawl_paired_bench_outcome outcome;
  struct pawl_paired_bench_request request = request_of(tuning, kernel, tuning->config, comparisons);
  request.confirm = true;
  PAWL_TRY(pawl_paired_bench(tuning->project, &request, 1, &out->paired, &outcome, err));
  out->outcome = outcome.candidate;
  out->reason = outcome.reason;
  if (outcome.base != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails with its current parameters: %s", tuning->spec->name,
                     outcome.reason);
  pawl_tune_confirmed(out, &tuning->project->arena);
  return PAWL_OK;
}

static pawl_status judge_other(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                               const struct pawl_case *config, struct pawl_tune_other *out, struct pawl_error *err) {
  const struct pawl_gate_spec *gate = &tuning->project->suite.gate;
  struct pawl_paired_bench_request request = request_of(tuning, kernel, config, (int)tuning->case_count);
  struct pawl_paired_test paired;
  struct pawl_paired_bench_outcome outcome;
  request.seed += OTHERS_SEED;
  PAWL_TRY(pawl_paired_bench(tuning->project, &request, 1, &paired, &outcome, err));
  *out = (struct pawl_tune_other){.case_name = config->name,
                                  .outcome = outcome.candidate,
                                  .reason = outcome.reason ? outcome.reason : paired.reason,
                                  .decision = paired.decision,
                                  .slowdown = paired.slowdown.estimate,
                                  .low = paired.slowdown.low,
                                  .high = paired.slowdown.high,
                                  .blocks = paired.counted};
  const bool cannot_either = outcome.base == PAWL_OUTCOME_UNSUPPORTED; /* then nothing is lost */
  const bool faster_or_same =
      paired.decision == PAWL_DECISION_IMPROVEMENT || paired.decision == PAWL_DECISION_MAINTAINED ||
      (paired.decision == PAWL_DECISION_INCONCLUSIVE && paired.slowdown.estimate < gate->detect);
  out->harmed = !cannot_either && (outcome.candidate != PAWL_OUTCOME_OK || !faster_or_same);
  return PAWL_OK;
}

static pawl_status judge_others(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                                struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  tune->others = pawl_arena_alloc(&tuning->project->arena, tuning->case_count, sizeof *tune->others);
  for (size_t i = 0; i < tuning->case_count; i++) {
    if (&tuning->cases[i] != tuning->config)
      PAWL_TRY(judge_other(tuning, kernel, &tuning->cases[i], &tune->others[tune->other_count++], err));
  }
  return PAWL_OK;
}

/* One after another in the order of the ranking, which the verdict's blocks have no part in. The first that is proven
   faster is the winner. */
static pawl_status judge_finalists(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  struct ranked *ranked;
  size_t count;
  PAWL_TRY(rank(tuning, &ranked, &count, err));
  tune->finalists = pawl_arena_alloc(&tuning->project->arena, count + 1, sizeof *tune->finalists);
  for (size_t i = 0; i < count; i++) {
    if (i && pawl_tuning_seconds(tuning) > JUDGING_SHARE * tuning->options->budget_seconds) break;
    struct pawl_ready_kernel kernel;
    struct pawl_tune_finalist *finalist = &tune->finalists[tune->finalist_count++];
    PAWL_TRY(judge(tuning, ranked[i].candidate, (int)count, &kernel, finalist, err));
    pawl_tune_conclude(tune, &tuning->project->arena);
    if (tune->winner == tune->finalist_count) continue;
    return tune->recommended ? judge_others(tuning, &kernel, err) : PAWL_OK;
  }
  return PAWL_OK;
}

static pawl_status search(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *identity = identity_of(tuning);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(tuning->options->folder, PAWL_TUNE_JOURNAL);
  struct pawl_arena *arena = &tuning->project->arena;
  PAWL_TRY(pawl_tune_journal_open(&tuning->journal, path, identity, tuning->options->resume, arena, err));
  PAWL_TRY(pawl_tuning_screen(tuning, err));
  PAWL_TRY(judge_finalists(tuning, err));
  pawl_tune_conclude(&tuning->tune, arena);
  tuning->tune.seconds = pawl_tuning_seconds(tuning);
  return PAWL_OK;
}

static pawl_status tune_kernel(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_TRY(find_kernel(tuning, err));
  PAWL_TRY(pawl_search_init(&tuning->search, &tuning->space, tuning->options->strategy, tuning->options->seed, 0, err));
  PAWL_TRY(find_case(tuning, err));
  PAWL_TRY(prepare_base(tuning, err));
  pawl_project_lock_clocks(tuning->project);
  describe(tuning);
  return search(tuning, err);
}

pawl_status pawl_loop_tune(struct pawl_project *project, const struct pawl_tune_options *options, struct pawl_tune *out,
                           struct pawl_error *err) {
  struct pawl_tuning *tuning = pawl_arena_alloc(&project->arena, 1, sizeof *tuning);
  struct pawl_lock lock = {.fd = -1};
  *tuning =
      (struct pawl_tuning){.project = project, .options = options, .journal = {.fd = -1}, .begin_ns = pawl_clock_ns()};
  PAWL_TRY(pawl_make_folders(project->cache_folder, err));
  const char *path = pawl_arena_printf(&project->arena, "%s/tune.lock", project->cache_folder);
  PAWL_TRY(pawl_lock_acquire(&lock, path, 0, err)); /* two at once would time each other */
  const enum pawl_status_code status = tune_kernel(tuning, err);
  pawl_tune_journal_release(&tuning->journal);
  pawl_search_release(&tuning->search);
  pawl_lock_release(&lock);
  if (status == PAWL_OK) *out = tuning->tune;
  return status;
}
