/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/race.h"

#include <math.h>
#include <stdlib.h>

#include "base/progress.h"
#include "tuning/cases.h"
#include "tuning/verdict.h"

#define USUAL_RACERS 8u /* a race has more racers only if there is time */
#define CLOSE 1.3       /* times the best: a slower candidate does not race */
#define FIRST_ROUNDS 2u /* rounds of the first stage; each later stage has twice as many */
/* a race of three has these rounds even if they take as long as the judging */
#define LEAST_RACERS 3u
#define MOST_ROUNDS 8u /* the same */
#define MOST_ARMS 200u /* processes of a race; after them at most half continue */
/* for each racer at first: the processes of a race in which half leaves after each stage */
#define ARMS_OF_RACER 8.0
#define RACE_SEED 2000000u /* gives other blocks than the screening and the verdicts */

double pawl_tuning_later_seconds(const struct pawl_tuning *tuning) {
  const double rule = tuning->config_count > 1 ? PAWL_TUNE_JUDGING_BLOCKS : 0;
  return pawl_tuning_judging_seconds(tuning) + pawl_tuning_settings_seconds(tuning) +
         rule * tuning->block_seconds;
}

static int race_by_ratio(const void *a, const void *b) {
  const struct pawl_tune_racer *left = a, *right = b;
  if (left->ratio != right->ratio) return left->ratio < right->ratio ? -1 : 1;
  return left->candidate < right->candidate ? -1 : left->candidate > right->candidate;
}

size_t pawl_tuning_choose_racers(const struct pawl_tuning *tuning, double worth,
                                 struct pawl_tune_racer *out) {
  const struct pawl_tune *tune = &tuning->tune;
  struct pawl_tune_racer *all = pawl_alloc(tune->count + 1, sizeof *all);
  size_t count = 0, kept = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    const double ratio = candidate->median_ms / candidate->base_ms;
    if (candidate->outcome == PAWL_OUTCOME_OK && candidate->checked && !candidate->same_as &&
        ratio < worth && !pawl_tune_is_judged(tune, i))
      all[count++] = (struct pawl_tune_racer){.candidate = i, .ratio = ratio};
  }
  qsort(all, count, sizeof *all, race_by_ratio);
  while (kept < count && kept < PAWL_TUNE_MOST_RACERS && all[kept].ratio <= CLOSE * all[0].ratio) {
    out[kept] = all[kept];
    kept++;
  }
  pawl_free(all);
  return kept;
}

struct race {
  struct pawl_tuning *tuning;
  struct pawl_tune_racer *racers;
  double arm_seconds; /* the time of one process in a round */
  size_t rounds;
};

/* The seconds of a round of `count` racers and the current code. */
static double round_seconds(const struct race *race, size_t count) {
  return (double)(count + 1) * race->arm_seconds;
}

static double spare_seconds(const struct pawl_tuning *tuning) {
  return pawl_tuning_left(tuning) - pawl_tuning_later_seconds(tuning);
}

static void race_fail(struct race *race, struct pawl_tune_racer *racer, enum pawl_outcome outcome,
                      const char *reason) {
  struct pawl_tune_candidate *candidate = &race->tuning->tune.candidates[racer->candidate];
  candidate->outcome = outcome;
  candidate->reason = pawl_arena_copy(&race->tuning->project->arena, reason);
  racer->ratio = INFINITY;
  pawl_tune_share(&race->tuning->tune, candidate);
}

/* Records the block of a racer. A failed block counts as one of its rounds. */
static void note_block(struct race *race, struct pawl_tune_racer *racer,
                       const struct pawl_tune_evaluation *evaluation) {
  double *ratio = &racer->blocks[racer->count++];
  if (evaluation->outcome != PAWL_OUTCOME_OK) {
    race_fail(race, racer, evaluation->outcome, evaluation->reason);
    return;
  }
  struct pawl_tune_candidate block = {.times = evaluation->times,
                                      .time_count = evaluation->time_count};
  pawl_tune_sum_up(&block);
  *ratio = log(block.median_ms / block.base_ms);
}

/* Measures one more block of each racer. A racer that fails gets an infinite ratio and leaves at
   the end of the stage. */
static pawl_status run_round(struct race *race, size_t count, struct pawl_error *err) {
  struct pawl_tuning *tuning = race->tuning;
  struct pawl_tune_racer *working[PAWL_TUNE_MOST_RACERS];
  struct pawl_tune_arm arms[PAWL_TUNE_MOST_RACERS];
  const double begin = pawl_tuning_seconds(tuning);
  size_t here = 0;
  for (size_t i = 0; i < count; i++) {
    struct pawl_tune_racer *racer = &race->racers[i];
    if (isinf(racer->ratio)) continue;
    arms[here] = (struct pawl_tune_arm){.kernel = &racer->kernel, .verified = racer->verified};
    working[here++] = racer;
  }
  if (!here) return PAWL_OK;
  PAWL_TRY(pawl_tune_bench_round(&tuning->bench, arms, here, RACE_SEED + race->rounds, err));
  bool failed = false;
  for (size_t i = 0; i < here; i++) {
    note_block(race, working[i], &arms[i].evaluation);
    failed |= isinf(working[i]->ratio) != 0;
  }
  race->rounds++;
  if (!failed) /* A racer that hangs costs more than the next round will. */
    race->arm_seconds = (pawl_tuning_seconds(tuning) - begin) / (double)(here + 1);
  return PAWL_OK;
}

/* Returns whether a round has time. The choice among the best of the screening may take a part of
 * the verdict's time. */
static bool race_has_time(const struct race *race, size_t count, size_t rounds) {
  const double seconds = (double)rounds * round_seconds(race, count);
  if (spare_seconds(race->tuning) >= seconds) return true;
  return count <= LEAST_RACERS && race->rounds < FIRST_ROUNDS &&
         pawl_tuning_left(race->tuning) >= seconds;
}

/* Runs the rounds of a stage that have time. */
static pawl_status run_stage(struct race *race, size_t count, size_t rounds,
                             struct pawl_error *err) {
  struct pawl_tuning *tuning = race->tuning;
  for (size_t i = 0; i < rounds && race->rounds < PAWL_RACE_MOST_ROUNDS; i++) {
    if (!race_has_time(race, count, 1)) break;
    const struct pawl_progress progress = {"racing", (double)i, (double)rounds, false};
    pawl_progress_show(tuning->project->options.log, &progress, "%zu candidates; round %zu", count,
                       race->rounds + 1);
    PAWL_TRY(run_round(race, count, err));
  }
  return PAWL_OK;
}

/* Sorts the racers, the best first and failed ones last. Returns the number that continues to a
   stage of `next_rounds` rounds. More than half continue only if there is time for them, and for
   as many rounds after that stage. */
static size_t end_stage(struct race *race, size_t count, size_t next_rounds, size_t most_left) {
  struct pawl_tune_racer *racers = race->racers;
  struct pawl_race_racer ranked[PAWL_TUNE_MOST_RACERS];
  const double spare = fmin(spare_seconds(race->tuning) / race->arm_seconds, (double)most_left);
  const double room = fmax(spare / (2 * (double)next_rounds) - 1, 0);
  size_t working = 0;
  qsort(racers, count, sizeof *racers, race_by_ratio);
  while (working < count && !isinf(racers[working].ratio)) working++;
  if (!working) return 0;
  for (size_t i = 0; i < working; i++)
    ranked[i] = (struct pawl_race_racer){.blocks = racers[i].blocks};
  pawl_race_rank(ranked, working, race->rounds);
  for (size_t i = 0; i < working; i++) racers[i].ratio = exp(ranked[i].standing);
  qsort(racers, working, sizeof *racers, race_by_ratio);
  for (size_t i = 0; i < working; i++)
    ranked[i] = (struct pawl_race_racer){racers[i].blocks, log(racers[i].ratio)};
  return pawl_race_survivors(ranked, working, race->rounds,
                             race->tuning->project->suite.gate.improve / 2, (size_t)room);
}

/* The number of racers that have time. The others leave unmeasured. */
static size_t admit(const struct race *race, size_t count) {
  const double spare = spare_seconds(race->tuning);
  while (count > USUAL_RACERS && ARMS_OF_RACER * (double)count * race->arm_seconds > spare) count--;
  while (count > 1 && !race_has_time(race, count, FIRST_ROUNDS)) count--;
  return count;
}

/* The other racers keep their order: the best first, and racers that left later before racers
   that left earlier. */
static void put_failed_last(struct pawl_tune_racer *racers, size_t count) {
  struct pawl_tune_racer failed[PAWL_TUNE_MOST_RACERS];
  size_t working = 0, failed_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (isinf(racers[i].ratio))
      failed[failed_count++] = racers[i];
    else
      racers[working++] = racers[i];
  }
  for (size_t i = 0; i < failed_count; i++) racers[working + i] = failed[i];
}

/* Stores the results of the race for the report. */
static void keep_race(struct pawl_tune *tune, const struct pawl_tune_racer *racers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    tune->candidates[racers[i].candidate].race_blocks = racers[i].count;
    tune->candidates[racers[i].candidate].race_ratio = racers[i].ratio;
  }
}

static pawl_status run_stages(struct race *race, size_t count, struct pawl_error *err) {
  size_t rounds = FIRST_ROUNDS, arms = 0;
  for (size_t left = count; left > 1;) {
    const size_t before = race->rounds;
    PAWL_TRY(run_stage(race, left, rounds, err));
    if (race->rounds == before) return PAWL_OK;
    arms += (race->rounds - before) * (left + 1);
    rounds = rounds * 2 < MOST_ROUNDS ? rounds * 2 : MOST_ROUNDS;
    left = end_stage(race, left, rounds, arms < MOST_ARMS ? MOST_ARMS - arms : 0);
  }
  return PAWL_OK;
}

pawl_status pawl_tuning_race(struct pawl_tuning *tuning, struct pawl_tune_racer *racers,
                             size_t *count, struct pawl_error *err) {
  struct race race = {.tuning = tuning, .racers = racers, .arm_seconds = tuning->block_seconds / 2};
  size_t working = 0;
  *count = admit(&race, *count);
  for (size_t i = 0; i < *count; i++) {
    racers[i].blocks =
        pawl_arena_alloc(&tuning->project->arena, PAWL_RACE_MOST_ROUNDS, sizeof(double));
    racers[i].verified =
        pawl_arena_alloc(&tuning->project->arena, tuning->config_count, sizeof *racers[i].verified);
    PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[racers[i].candidate].index,
                               &racers[i].kernel, err));
    if (racers[i].kernel.outcome != PAWL_OUTCOME_OK)
      race_fail(&race, &racers[i], racers[i].kernel.outcome, racers[i].kernel.reason);
  }
  PAWL_TRY(run_stages(&race, *count, err));
  put_failed_last(racers, *count);
  pawl_progress_end(tuning->project->options.log);
  keep_race(&tuning->tune, racers, *count);
  while (working < *count && racers[working].ratio < 1) working++;
  *count = working || isinf(racers[0].ratio) ? working : 1;
  return PAWL_OK;
}
