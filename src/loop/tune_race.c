/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_race.h"

#include <math.h>
#include <stdlib.h>

#include "base/progress.h"
#include "loop/tune_cases.h"
#include "loop/tune_verdict.h"
#include "stats/describe.h"

#define USUAL_RACERS 8u  /* more only where there is time for them */
#define CLOSE 1.3        /* times the best: a candidate further behind is no racer */
#define FIRST_BLOCKS 2u  /* of each racer; then the blocks of a heat double */
#define MOST_BLOCKS 8u   /* of a heat */
#define MOST_SPENT 200.0 /* blocks of a race, after which no more than half go on */
#define BLOCKS_OF_RACER \
  7.0                      /* of a race in which half of the racers leaves after each heat, for each of them at first */
#define CHECK_SECONDS 3.0  /* of a whole check, about */
#define RACE_SEED 2000000u /* added: other blocks than the screening's and the verdict's */

double pawl_tuning_later_seconds(const struct pawl_tuning *tuning) {
  const double cases = (double)tuning->config_count; /* block_seconds are of a block of each */
  const double others = ((double)tuning->case_count - cases) * PAWL_TUNE_OTHER_BLOCKS / cases;
  const double rule = cases > 1 ? PAWL_TUNE_JUDGING_BLOCKS : 0;
  return CHECK_SECONDS + pawl_tuning_settings_seconds(tuning) +
         (PAWL_TUNE_JUDGING_BLOCKS + rule + others) * tuning->block_seconds;
}

static int by_ratio(const void *a, const void *b) {
  const struct pawl_tune_racer *left = a, *right = b;
  if (left->ratio != right->ratio) return left->ratio < right->ratio ? -1 : 1;
  return left->candidate < right->candidate ? -1 : left->candidate > right->candidate;
}

size_t pawl_tuning_choose_racers(const struct pawl_tuning *tuning, double worth, struct pawl_tune_racer *out) {
  const struct pawl_tune *tune = &tuning->tune;
  struct pawl_tune_racer *all = pawl_alloc(tune->count + 1, sizeof *all);
  size_t count = 0, kept = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    const double ratio = candidate->median_ms / candidate->base_ms;
    if (candidate->outcome == PAWL_OUTCOME_OK && candidate->checked && !candidate->same_as && ratio < worth)
      all[count++] = (struct pawl_tune_racer){.candidate = i, .ratio = ratio};
  }
  qsort(all, count, sizeof *all, by_ratio);
  while (kept < count && kept < PAWL_TUNE_MOST_RACERS && all[kept].ratio <= CLOSE * all[0].ratio) {
    out[kept] = all[kept];
    kept++;
  }
  pawl_free(all);
  return kept;
}

/* One block more; a racer that fails leaves at the end of the heat: its ratio is infinite. */
static pawl_status run_racer(struct pawl_tuning *tuning, struct pawl_tune_racer *racer, uint64_t number,
                             struct pawl_error *err) {
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
  racer->blocks[racer->count++] = log(block.median_ms / block.base_ms);
  PAWL_TRY(pawl_summarize(racer->blocks, racer->count, &summary, err));
  racer->ratio = exp(summary.median);
  return PAWL_OK;
}

/* A round: one block of each racer in turn. Its blocks say what a block costs now. */
static pawl_status run_round(struct pawl_tuning *tuning, struct pawl_tune_racer *racers, size_t count, uint64_t *number,
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

static double spare_seconds(const struct pawl_tuning *tuning) {
  return pawl_tuning_left(tuning) - pawl_tuning_later_seconds(tuning);
}

/* How many of the racers, the best first, go on to a heat of so many blocks: more than half only where there is time
   for them, and for as many blocks after it. */
static size_t choose_left(const struct pawl_tuning *tuning, const struct pawl_tune_racer *racers, size_t count,
                          size_t blocks, double most_left) {
  const double spare = fmin(spare_seconds(tuning) / tuning->block_seconds, most_left);
  const double room = fmax(spare / (2 * (double)blocks), 0);
  struct pawl_heat_racer heat[PAWL_TUNE_MOST_RACERS];
  for (size_t i = 0; i < count; i++)
    heat[i] = (struct pawl_heat_racer){log(racers[i].ratio), racers[i].blocks, racers[i].count};
  return pawl_heat_survivors(heat, count, tuning->project->suite.gate.improve / 2, (size_t)room);
}

/* Those that there is time for; the others leave unmeasured. */
static size_t admit(const struct pawl_tuning *tuning, size_t count) {
  const double spare = spare_seconds(tuning) / tuning->block_seconds;
  while (count > USUAL_RACERS && BLOCKS_OF_RACER * (double)count > spare) count--;
  while (count > 1 && (double)(count * FIRST_BLOCKS) > spare) count--;
  return count;
}

pawl_status pawl_tuning_race(struct pawl_tuning *tuning, struct pawl_tune_racer *racers, size_t *count,
                             struct pawl_error *err) {
  size_t blocks = FIRST_BLOCKS, rounds = 0, working = 0;
  uint64_t number = 0;
  *count = admit(tuning, *count);
  for (size_t i = 0; i < *count; i++) {
    racers[i].blocks = pawl_arena_alloc(&tuning->project->arena, PAWL_HEAT_MOST_BLOCKS, sizeof(double));
    PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[racers[i].candidate].index, &racers[i].kernel, err));
  }
  for (size_t left = *count; left > 1 && rounds < PAWL_HEAT_MOST_BLOCKS && spare_seconds(tuning) > 0;) {
    for (size_t i = 0; i < blocks && rounds < PAWL_HEAT_MOST_BLOCKS && spare_seconds(tuning) > 0; i++, rounds++)
      PAWL_TRY(run_round(tuning, racers, left, &number, err));
    qsort(racers, left, sizeof *racers, by_ratio);
    blocks = blocks * 2 < MOST_BLOCKS ? blocks * 2 : MOST_BLOCKS;
    left = choose_left(tuning, racers, left, blocks, MOST_SPENT - (double)number);
  }
  if (isinf(racers[0].ratio)) qsort(racers, *count, sizeof *racers, by_ratio); /* the last ones all failed */
  pawl_progress_end(tuning->project->options.log);
  while (working < *count && racers[working].ratio < 1) working++;
  *count = working || isinf(racers[0].ratio) ? working : 1;
  return PAWL_OK;
}
