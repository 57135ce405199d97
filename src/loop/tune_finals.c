/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_finals.h"

#include <math.h>

#include "loop/tune_cases.h"
#include "loop/tune_race.h"
#include "loop/tune_verdict.h"

#define MAX_FINALISTS 3u   /* judged, one after another, until one is proven faster */
#define CPU_RACE_BLOCKS 48 /* pairs of processes of a race, about */
#define GPU_RACE_BLOCKS 24 /* most races are over after two rounds there: processes hardly differ */
#define MOST_RESERVED 0.5  /* of the budget */

/* A candidate with a smaller ratio may be faster by more than what is called noise: a block of the screening can be
   wrong by half of that. */
static double worth_judging(const struct pawl_tuning *tuning) {
  return 1 / (1 + tuning->project->suite.gate.improve / 2);
}

double pawl_tuning_reserve(const struct pawl_tuning *tuning) {
  const double worth = worth_judging(tuning);
  if (!(tuning->bench.best < worth) && !pawl_tuning_has_specialist(tuning, worth)) return 0; /* nothing to judge yet */
  const int blocks = tuning->spec->device == PAWL_CUDA ? GPU_RACE_BLOCKS : CPU_RACE_BLOCKS;
  const double wanted = pawl_tuning_later_seconds(tuning) + blocks * tuning->block_seconds;
  return fmin(wanted, MOST_RESERVED * tuning->options->budget_seconds);
}

/* --- the verdict --- */

/* Checks a racer and judges it on each case. */
static pawl_status judge(struct pawl_tuning *tuning, const struct pawl_tune_racer *racer, size_t racers,
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
static pawl_status judge_racers(struct pawl_tuning *tuning, const struct pawl_tune_racer *racers, size_t count,
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
  struct pawl_tune_racer racers[PAWL_TUNE_MOST_RACERS];
  size_t count = pawl_tuning_choose_racers(tuning, worth_judging(tuning), racers), finalists[MAX_FINALISTS];
  const bool specialist = pawl_tuning_has_specialist(tuning, worth_judging(tuning));
  tune->screening_seconds = pawl_tuning_seconds(tuning);
  if (!(pawl_tuning_left(tuning) > 0)) tune->unjudged = count ? count : specialist;
  if ((!count && !specialist) || tune->unjudged) return PAWL_OK;
  if (count) PAWL_TRY(pawl_tuning_race(tuning, racers, &count, err));
  tune->race_seconds = pawl_tuning_seconds(tuning) - tune->screening_seconds;
  if (count > MAX_FINALISTS) count = MAX_FINALISTS;
  for (size_t i = 0; i < count; i++) finalists[i] = racers[i].candidate;
  PAWL_TRY(pawl_tuning_race_settings(tuning, finalists, count, err));
  pawl_tune_bench_close(&tuning->bench);
  PAWL_TRY(judge_racers(tuning, racers, count, err));
  return pawl_tuning_judge_rule(tuning, err);
}
