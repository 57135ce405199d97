/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/evaluate.h"

#include <math.h>
#include <string.h>

#include "tune/insight.h"
#include "tuning/race.h"
#include "tuning/verdict.h"

/* a share of the budget for whole checks during the screening, once their duration is known */
#define CHECK_SHARE 0.15
/* a first check is assumed to take this many blocks of the current code, or
   PAWL_TUNE_CHECK_SECONDS */
#define FIRST_CHECK_BLOCKS 10
#define FAIR_SHARE 0.25 /* a share of the budget for one request of a check */

/* If the same machine code was measured already, the candidate takes its times. */
static bool adopt(const struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                  struct pawl_tune_candidate *candidate) {
  if (pawl_same_machine_code(&tuning->base, kernel)) {
    candidate->same_as = PAWL_TUNE_CURRENT;
    candidate->checked = true;
    return true;
  }
  for (size_t i = 0; kernel->build.code_hash && i < tuning->tune.count; i++) {
    const struct pawl_tune_candidate *other = &tuning->tune.candidates[i];
    if (!other->code_hash || strcmp(other->code_hash, kernel->build.code_hash) != 0) continue;
    candidate->same_as = other->same_as ? other->same_as : other->key;
    pawl_tune_adopt(candidate, other);
    return true;
  }
  return false;
}

static void take_evaluation(struct pawl_tuning *tuning,
                            const struct pawl_tune_evaluation *evaluation,
                            struct pawl_tune_candidate *candidate) {
  struct pawl_arena *arena = &tuning->project->arena;
  struct pawl_tune_times *times = pawl_arena_alloc(arena, evaluation->time_count, sizeof *times);
  memcpy(times, evaluation->times, evaluation->time_count * sizeof *times);
  candidate->outcome = evaluation->outcome;
  candidate->reason = pawl_arena_copy(arena, evaluation->reason);
  candidate->times = times;
  candidate->time_count = evaluation->time_count;
  pawl_tune_sum_up(candidate);
}

static bool may_win(const struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate) {
  const double worth = pawl_tuning_worth(tuning);
  bool faster = candidate->median_ms / candidate->base_ms < worth;
  for (size_t i = 0; i < candidate->time_count; i++)
    faster |= candidate->times[i].median_ms / candidate->times[i].base_ms < worth;
  return candidate->outcome == PAWL_OUTCOME_OK && faster &&
         pawl_tune_bench_is_best(&tuning->bench, candidate);
}

/* Returns whether time remains for a whole check now. The judging needs its reserve, and checks the
 * candidate anyway. */
static bool has_time_to_prove(const struct pawl_tuning *tuning) {
  const double budget = tuning->options->budget_seconds;
  const double first = fmin(FIRST_CHECK_BLOCKS * tuning->block_seconds, PAWL_TUNE_CHECK_SECONDS);
  const double next = tuning->longest_check > 0 ? tuning->longest_check : first;
  const double kept = fmin(pawl_tuning_later_seconds(tuning), budget / 2);
  return tuning->check_seconds + next <= CHECK_SHARE * budget &&
         pawl_tuning_left(tuning) >= next + kept;
}

/* A new best gets the whole check if there is time. A best that is wrong on another shape would
   make good candidates end early. */
static pawl_status prove(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                         struct pawl_tune_candidate *candidate, struct pawl_error *err) {
  const double begin = pawl_tuning_seconds(tuning),
               fair = FAIR_SHARE * tuning->options->budget_seconds;
  if (!may_win(tuning, candidate) || !has_time_to_prove(tuning)) return PAWL_OK;
  PAWL_TRY(pawl_tuning_check_finalist(tuning, kernel, fair, &candidate->outcome, &candidate->reason,
                                      err));
  const double seconds = pawl_tuning_seconds(tuning) - begin;
  tuning->check_seconds += seconds;
  tuning->longest_check = fmax(tuning->longest_check, seconds);
  candidate->proven = candidate->outcome == PAWL_OUTCOME_OK;
  if (candidate->proven) return PAWL_OK;
  candidate->times = NULL;
  candidate->time_count = 0;
  candidate->median_ms = candidate->base_ms = NAN;
  return PAWL_OK;
}

pawl_status pawl_tuning_evaluate(struct pawl_tuning *tuning, struct pawl_tune_question *question,
                                 struct pawl_tune_costs *costs, struct pawl_error *err) {
  const struct pawl_ready_kernel *kernel = &question->kernel;
  struct pawl_tune_candidate *candidate = &question->candidate;
  struct pawl_tune_evaluation evaluation;
  candidate->outcome = kernel->outcome;
  candidate->reason = kernel->reason;
  candidate->code_hash = kernel->build.code_hash;
  candidate->build_seconds = question->ahead_seconds + kernel->build.seconds;
  if (kernel->outcome != PAWL_OUTCOME_OK || adopt(tuning, kernel, candidate)) return PAWL_OK;
  const double begin = pawl_tuning_seconds(tuning);
  pawl_tuning_pause_builds(tuning);
  const enum pawl_status_code status =
      pawl_tune_bench_screen(&tuning->bench, kernel, &evaluation, err);
  pawl_tuning_resume_builds(tuning);
  PAWL_TRY(status);
  if (kernel->spec->device == PAWL_CUDA)
    costs->start = fmax(costs->start, evaluation.start_seconds);
  costs->alone = pawl_tuning_seconds(tuning) - begin - fmin(costs->start, evaluation.start_seconds);
  candidate->measure_seconds = pawl_tuning_seconds(tuning) - begin;
  take_evaluation(tuning, &evaluation, candidate);
  return prove(tuning, kernel, candidate, err);
}

pawl_status pawl_tuning_evaluate_again(struct pawl_tuning *tuning,
                                       struct pawl_tune_candidate *candidate,
                                       struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  struct pawl_tune_evaluation evaluation;
  PAWL_TRY(pawl_tuning_ready(tuning, candidate->index, &kernel, err));
  candidate->outcome = kernel.outcome;
  candidate->reason = kernel.reason;
  if (kernel.outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  PAWL_TRY(pawl_tune_bench_screen(&tuning->bench, &kernel, &evaluation, err));
  take_evaluation(tuning, &evaluation, candidate);
  candidate->evaluator = tuning->tune.team.judged_by;
  PAWL_TRY(prove(tuning, &kernel, candidate, err));
  pawl_tune_bench_learn(&tuning->bench, candidate);
  pawl_tune_share(&tuning->tune, candidate);
  return PAWL_OK;
}

pawl_status pawl_tuning_prepare(struct pawl_tuning *tuning,
                                struct pawl_tune_question *const *questions, size_t count,
                                struct pawl_tune_costs *costs, struct pawl_error *err) {
  const struct pawl_ready_kernel **ready =
      pawl_arena_alloc(&tuning->project->arena, count + 1, sizeof *ready);
  size_t working = 0;
  for (size_t i = 0; i < count; i++) {
    struct pawl_tune_question *question = questions[i];
    PAWL_TRY(pawl_tuning_take_build(tuning, question->candidate.index, &question->kernel,
                                    &question->ahead_seconds, err));
    question->prepared = true;
    if (question->kernel.outcome != PAWL_OUTCOME_OK)
      continue; /* a failure is quick, and predicts nothing */
    costs->build = question->ahead_seconds;
    ready[working++] = &question->kernel;
  }
  pawl_tune_bench_start(&tuning->bench, ready, working);
  return PAWL_OK;
}

static void evaluate_say(const struct pawl_tuning *tuning,
                         const struct pawl_tune_candidate *candidate) {
  struct pawl_log *log = tuning->project->options.log;
  if (candidate->outcome != PAWL_OUTCOME_OK)
    pawl_log_detail(log, "%s: %s: %s", candidate->key, pawl_outcome_name(candidate->outcome),
                    candidate->reason ? candidate->reason : "the reason is unknown");
  else
    pawl_log_detail(log, "%s: %.3g times the current time%s", candidate->key,
                    pawl_tune_ratio(candidate), candidate->checked ? "" : ", not checked");
}

static void evaluate_append(struct pawl_tuning *tuning,
                            const struct pawl_tune_candidate *candidate) {
  struct pawl_tune *tune = &tuning->tune;
  if (!(tune->count & (tune->count - 1))) { /* the array is full at each power of two */
    struct pawl_tune_candidate *grown =
        pawl_arena_alloc(&tuning->project->arena, tune->count ? 2 * tune->count : 1, sizeof *grown);
    if (tune->count) memcpy(grown, tune->candidates, tune->count * sizeof *grown);
    tune->candidates = grown;
  }
  tune->candidates[tune->count++] = *candidate;
}

void pawl_tuning_learn(struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate) {
  evaluate_append(tuning, candidate);
  pawl_search_tell(&tuning->search, candidate->index, pawl_tune_ratio(candidate));
  pawl_tune_bench_learn(&tuning->bench, candidate);
  evaluate_say(tuning, candidate);
}

void pawl_tuning_recall(struct pawl_tuning *tuning) {
  for (size_t i = 0; i < tuning->journal.count; i++) {
    struct pawl_tune_candidate candidate = tuning->journal.entries[i].candidate;
    candidate.index = pawl_space_find_key(&tuning->space, candidate.key);
    if (candidate.index == PAWL_NO_CONFIGURATION ||
        pawl_search_is_tried(&tuning->search, candidate.index))
      continue;
    pawl_tuning_learn(tuning, &candidate);
  }
}
