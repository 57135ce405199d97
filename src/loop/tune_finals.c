/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_finals.h"

#include <math.h>
#include <stdlib.h>

#include "base/progress.h"
#include "loop/tune_cases.h"
#include "loop/tune_verdict.h"
#include "stats/describe.h"

#define MAX_RACERS 8u      /* of the screening's best, measured again against each other */
#define CLOSE 1.3          /* times the best: a candidate further behind is no racer */
#define FIRST_BLOCKS 2u    /* of each racer; then the slower half leaves, and the blocks of a heat double */
#define MOST_BLOCKS 8u     /* of a heat */
#define MAX_FINALISTS 3u   /* judged, one after another, until one is proven faster */
#define CHECK_SECONDS 3.0  /* of a whole check, about */
#define RACE_BLOCKS 48     /* of a race, about */
#define MOST_RESERVED 0.5  /* of the budget */
#define RACE_SEED 2000000u /* added: other blocks than the screening's and the verdict's */

/* Seconds for what follows the race: the settings of each case, the check, the verdicts, the other cases. */
static double later_seconds(const struct pawl_tuning *tuning) {
  const double cases = (double)tuning->config_count; /* block_seconds are of a block of each */
  const double others = ((double)tuning->case_count - cases) * PAWL_TUNE_OTHER_BLOCKS / cases;
  const double rule = cases > 1 ? PAWL_TUNE_JUDGING_BLOCKS : 0;
  return CHECK_SECONDS + pawl_tuning_settings_seconds(tuning) +
         (PAWL_TUNE_JUDGING_BLOCKS + rule + others) * tuning->block_seconds;
}

/* A candidate with a smaller ratio may be faster by more than what is called noise: a block of the screening can be
   wrong by half of that. */
static double worth_judging(const struct pawl_tuning *tuning) {
  return 1 / (1 + tuning->project->suite.gate.improve / 2);
}

double pawl_tuning_reserve(const struct pawl_tuning *tuning) {
  const double worth = worth_judging(tuning);
  if (!(tuning->bench.best < worth) && !pawl_tuning_has_specialist(tuning, worth)) return 0; /* nothing to judge yet */
  const double wanted = later_seconds(tuning) + RACE_BLOCKS * tuning->block_seconds;
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
        ratio < worth_judging(tuning))
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
  const double spare = (pawl_tuning_left(tuning) - later_seconds(tuning)) / tuning->block_seconds;
  while (*count > 1 && (double)(*count * FIRST_BLOCKS) > spare) (*count)--; /* those that one heat has time for */
  for (size_t i = 0; i < *count; i++) {
    racers[i].blocks = pawl_arena_alloc(&tuning->project->arena, room, sizeof(double));
    PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[racers[i].candidate].index, &racers[i].kernel, err));
  }
  for (size_t left = *count; left > 1 && pawl_tuning_left(tuning) > later_seconds(tuning); left = (left + 1) / 2) {
    for (size_t block = 0; block < blocks && pawl_tuning_left(tuning) > later_seconds(tuning); block++)
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

/* Checks a racer and judges it on each case. */
static pawl_status judge(struct pawl_tuning *tuning, const struct racer *racer, size_t racers,
                         struct pawl_tune_finalist *out, struct pawl_error *err) {
  const size_t cases = tuning->config_count;
  pawl_tune_finalist_init(out, racer->candidate);
  PAWL_TRY(pawl_tuning_check_finalist(tuning, &racer->kernel, &out->outcome, &out->reason, err));
  if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  out->verdicts = pawl_arena_alloc(&tuning->project->arena, cases, sizeof *out->verdicts);
  PAWL_TRY(pawl_tuning_judge_kernel(tuning, &racer->kernel, NULL, racers * cases, out->verdicts, err));
  out->verdict_count = cases;
  out->reason = cases == 1 ? out->verdicts->reason : NULL;
  for (size_t i = 0; i < cases && out->outcome == PAWL_OUTCOME_OK; i++) {
    out->outcome = out->verdicts[i].outcome;
    if (!out->reason) out->reason = out->verdicts[i].reason;
  }
  pawl_tune_mean_speedup(out->verdicts, cases, &out->speedup, &out->low, &out->high);
  return PAWL_OK;
}

/* One after another in the order of the race, which the verdict's blocks have no part in. The first that is proven
   faster is the winner. */
static pawl_status judge_racers(struct pawl_tuning *tuning, const struct racer *racers, size_t count,
                                struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  tune->finalists = pawl_arena_alloc(&tuning->project->arena, count + 1, sizeof *tune->finalists);
  for (size_t i = 0; i < count; i++) {
    if (i && !(pawl_tuning_left(tuning) > 0)) {
      tune->unjudged = count - i;
      break;
    }
    PAWL_TRY(judge(tuning, &racers[i], count, &tune->finalists[tune->finalist_count++], err));
    pawl_tune_conclude(tune, &tuning->project->arena);
    if (tune->winner == tune->finalist_count) continue;
    return tune->recommended ? pawl_tuning_judge_others(tuning, &racers[i].kernel, err) : PAWL_OK;
  }
  return PAWL_OK;
}

pawl_status pawl_tuning_judge(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  struct racer racers[MAX_RACERS];
  size_t count = choose_racers(tuning, racers), finalists[MAX_FINALISTS];
  const bool specialist = pawl_tuning_has_specialist(tuning, worth_judging(tuning));
  if (!(pawl_tuning_left(tuning) > 0)) tune->unjudged = count ? count : specialist;
  if ((!count && !specialist) || tune->unjudged) return PAWL_OK;
  if (count) PAWL_TRY(race(tuning, racers, &count, err));
  if (count > MAX_FINALISTS) count = MAX_FINALISTS;
  for (size_t i = 0; i < count; i++) finalists[i] = racers[i].candidate;
  PAWL_TRY(pawl_tuning_race_settings(tuning, finalists, count, err));
  pawl_tune_bench_close(&tuning->bench);
  PAWL_TRY(judge_racers(tuning, racers, count, err));
  return pawl_tuning_judge_rule(tuning, err);
}
