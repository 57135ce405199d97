/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_finals.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/progress.h"
#include "loop/paired_bench.h"
#include "stats/describe.h"

#define MAX_RACERS 8u      /* of the screening's best, measured again against each other */
#define CLOSE 1.3          /* times the best: a candidate further behind is no racer */
#define FIRST_BLOCKS 2u    /* of each racer; then the slower half leaves, and the blocks of a heat double */
#define MOST_BLOCKS 8u     /* of a heat */
#define MAX_FINALISTS 3u   /* judged, one after another, until one is proven faster */
#define CHECK_SECONDS 3.0  /* of a whole check, about */
#define JUDGING_BLOCKS 24  /* of a verdict and its confirmation, about */
#define OTHER_BLOCKS 8     /* of another case, about */
#define RACE_BLOCKS 48     /* of a race, about */
#define MOST_RESERVED 0.5  /* of the budget */
#define RACE_SEED 2000000u /* added: other blocks than the screening's and the verdict's */
#define OTHERS_SEED 3000000u

/* Seconds for the check, the verdict and the other cases. */
static double judging_seconds(const struct pawl_tuning *tuning) {
  const double others = (double)(tuning->case_count - 1) * OTHER_BLOCKS;
  return CHECK_SECONDS + (JUDGING_BLOCKS + others) * tuning->block_seconds;
}

/* Whether a candidate with this ratio may be faster by more than what is called noise: a block of the screening can be
   wrong by half of that. */
static bool is_worth_judging(const struct pawl_tuning *tuning, double ratio) {
  return ratio < 1 / (1 + tuning->project->suite.gate.improve / 2);
}

double pawl_tuning_reserve(const struct pawl_tuning *tuning) {
  if (!is_worth_judging(tuning, tuning->bench.best)) return 0; /* nothing to judge yet */
  const double wanted = judging_seconds(tuning) + RACE_BLOCKS * tuning->block_seconds;
  return fmin(wanted, MOST_RESERVED * tuning->options->budget_seconds);
}

/* --- the race --- */

/* A candidate that is measured against others, by its ratio to the current code. */
struct racer {
  size_t candidate;
  double ratio; /* the median of its blocks; of the screening at first */
  double *blocks;
  size_t count;
  struct pawl_ready_kernel kernel;
};

static int by_ratio(const void *a, const void *b) {
  const struct racer *left = a, *right = b;
  if (left->ratio != right->ratio) return left->ratio < right->ratio ? -1 : 1;
  return left->candidate < right->candidate ? -1 : left->candidate > right->candidate;
}

/* The candidates that look faster by more than noise, the best first; each machine code once. */
static size_t choose_racers(const struct pawl_tuning *tuning, struct racer *out) {
  const struct pawl_tune *tune = &tuning->tune;
  struct racer *all = pawl_alloc(tune->count + 1, sizeof *all);
  size_t count = 0, kept = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    const double ratio = candidate->median_ms / candidate->base_ms;
    if (candidate->outcome == PAWL_OUTCOME_OK && candidate->checked && !candidate->same_as &&
        is_worth_judging(tuning, ratio))
      all[count++] = (struct racer){.candidate = i, .ratio = ratio};
  }
  qsort(all, count, sizeof *all, by_ratio);
  while (kept < count && kept < MAX_RACERS && all[kept].ratio <= CLOSE * all[0].ratio) {
    out[kept] = all[kept];
    kept++;
  }
  pawl_free(all);
  return kept;
}

/* One block more; a racer that fails leaves at the end of the heat: its ratio is infinite. */
static pawl_status run_racer(struct pawl_tuning *tuning, struct racer *racer, uint64_t number, struct pawl_error *err) {
  struct pawl_tune_evaluation evaluation;
  struct pawl_summary summary;
  if (isinf(racer->ratio)) return PAWL_OK;
  PAWL_TRY(pawl_tune_bench_block(&tuning->bench, &racer->kernel, NULL, RACE_SEED + number, &evaluation, err));
  if (evaluation.outcome != PAWL_OUTCOME_OK) {
    struct pawl_tune_candidate *candidate = &tuning->tune.candidates[racer->candidate];
    candidate->outcome = evaluation.outcome;
    candidate->reason = pawl_arena_copy(&tuning->project->arena, evaluation.reason);
    racer->ratio = INFINITY;
    return PAWL_OK;
  }
  struct pawl_tune_candidate block = {.times = evaluation.times, .time_count = evaluation.time_count};
  pawl_tune_sum_up(&block);
  racer->blocks[racer->count++] = block.median_ms / block.base_ms;
  PAWL_TRY(pawl_summarize(racer->blocks, racer->count, &summary, err));
  racer->ratio = summary.median;
  return PAWL_OK;
}

/* A round: one block of each racer in turn. Its blocks say what a block costs now. */
static pawl_status run_round(struct pawl_tuning *tuning, struct racer *racers, size_t count, uint64_t *number,
                             struct pawl_error *err) {
  const double begin = pawl_tuning_seconds(tuning);
  for (size_t i = 0; i < count; i++) {
    const struct pawl_progress progress = {"racing", (double)i, (double)count, false};
    pawl_progress_show(tuning->project->options.log, &progress, "%zu candidates; now %s", count,
                       tuning->tune.candidates[racers[i].candidate].key);
    PAWL_TRY(run_racer(tuning, &racers[i], (*number)++, err));
  }
  tuning->block_seconds = fmax(tuning->block_seconds, (pawl_tuning_seconds(tuning) - begin) / (double)count);
  return PAWL_OK;
}

/* Heats of blocks, the racers in turn, so that all have the machine in the same states. The slower half leaves after
   each, until one is left or the time that judging needs is all there is. *count becomes that of the racers that are
   faster than the current code, the best first; the best in any case: the gate says what is true of it. */
static pawl_status race(struct pawl_tuning *tuning, struct racer *racers, size_t *count, struct pawl_error *err) {
  size_t blocks = FIRST_BLOCKS, working = 0;
  uint64_t number = 0;
  const size_t room = FIRST_BLOCKS + 4 * MOST_BLOCKS;
  const double spare = (pawl_tuning_left(tuning) - judging_seconds(tuning)) / tuning->block_seconds;
  while (*count > 1 && (double)(*count * FIRST_BLOCKS) > spare) (*count)--; /* those that one heat has time for */
  for (size_t i = 0; i < *count; i++) {
    racers[i].blocks = pawl_arena_alloc(&tuning->project->arena, room, sizeof(double));
    PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[racers[i].candidate].index, &racers[i].kernel, err));
  }
  for (size_t left = *count; left > 1 && pawl_tuning_left(tuning) > judging_seconds(tuning); left = (left + 1) / 2) {
    for (size_t block = 0; block < blocks && pawl_tuning_left(tuning) > judging_seconds(tuning); block++)
      PAWL_TRY(run_round(tuning, racers, left, &number, err));
    qsort(racers, left, sizeof *racers, by_ratio);
    blocks = blocks * 2 < MOST_BLOCKS ? blocks * 2 : MOST_BLOCKS;
  }
  pawl_progress_end(tuning->project->options.log);
  while (working < *count && racers[working].ratio < 1) working++;
  *count = working || isinf(racers[0].ratio) ? working : 1;
  return PAWL_OK;
}

/* --- the verdict --- */

/* The end of the budget, but not before so many blocks: what has come this far is not thrown away for seconds. */
static int64_t deadline(const struct pawl_tuning *tuning, int blocks) {
  return pawl_clock_ns() + (int64_t)(fmax(pawl_tuning_left(tuning), blocks * tuning->block_seconds) * 1e9);
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

static pawl_status judge(struct pawl_tuning *tuning, const struct racer *racer, int comparisons,
                         struct pawl_tune_finalist *out, struct pawl_error *err) {
  struct pawl_paired_bench_outcome outcome;
  struct pawl_paired_bench_request request = request_of(tuning, &racer->kernel, tuning->configs[0], comparisons);
  request.confirm = true;
  request.deadline_ns = deadline(tuning, JUDGING_BLOCKS);
  PAWL_TRY(pawl_paired_bench(tuning->project, &request, 1, &out->paired, &outcome, err));
  out->outcome = outcome.candidate;
  out->reason = outcome.reason ? outcome.reason : out->paired.reason;
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
  request.deadline_ns = deadline(tuning, OTHER_BLOCKS);
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
    if (!pawl_tuning_is_for(tuning, tuning->cases[i].name))
      PAWL_TRY(judge_other(tuning, kernel, &tuning->cases[i], &tune->others[tune->other_count++], err));
  }
  return PAWL_OK;
}

/* The whole check, of what is about to be recommended. */
static pawl_status check_finalist(struct pawl_tuning *tuning, const struct racer *racer,
                                  struct pawl_tune_finalist *finalist, struct pawl_error *err) {
  struct pawl_ready_kernel bounded = racer->kernel;
  const double fair = fmax(10 * tuning->block_seconds, pawl_tuning_left(tuning) / 2);
  bounded.worker.timeout_seconds = fmin(bounded.worker.timeout_seconds, fair);
  pawl_tune_finalist_init(finalist, racer->candidate);
  return pawl_tuning_check(tuning, &bounded, &finalist->outcome, &finalist->reason, err);
}

/* One after another in the order of the race, which the verdict's blocks have no part in. The first that is proven
   faster is the winner. */
pawl_status pawl_tuning_judge(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  struct racer racers[MAX_RACERS];
  size_t count = choose_racers(tuning, racers);
  if (!(pawl_tuning_left(tuning) > 0)) tune->unjudged = count;
  if (!count || tune->unjudged) return PAWL_OK;
  PAWL_TRY(race(tuning, racers, &count, err));
  pawl_tune_bench_close(&tuning->bench);
  if (count > MAX_FINALISTS) count = MAX_FINALISTS;
  tune->finalists = pawl_arena_alloc(&tuning->project->arena, count + 1, sizeof *tune->finalists);
  for (size_t i = 0; i < count; i++) {
    if (i && !(pawl_tuning_left(tuning) > 0)) {
      tune->unjudged = count - i;
      break;
    }
    struct pawl_tune_finalist *finalist = &tune->finalists[tune->finalist_count++];
    PAWL_TRY(check_finalist(tuning, &racers[i], finalist, err));
    if (finalist->outcome == PAWL_OUTCOME_OK) PAWL_TRY(judge(tuning, &racers[i], (int)count, finalist, err));
    pawl_tune_conclude(tune, &tuning->project->arena);
    if (tune->winner == tune->finalist_count) continue;
    return tune->recommended ? judge_others(tuning, &racers[i].kernel, err) : PAWL_OK;
  }
  return PAWL_OK;
}
