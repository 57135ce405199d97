/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/finals.h"

#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "tune/insight.h"
#include "tuning/cases.h"
#include "tuning/evaluate.h"
#include "tuning/race.h"
#include "tuning/verdict.h"

/* pawl judges them one after another, until one is proven to be faster \ */
#define MAX_FINALISTS 3u
#define CPU_RACE_BLOCKS 48 /* about the number of pairs of processes in a race */
/* processes of a GPU hardly differ, so most races end after two rounds */
#define GPU_RACE_BLOCKS 24
#define MOST_RESERVED 0.5 /* a share of the budget */

double pawl_tuning_reserve(const struct pawl_tuning *tuning) {
  const double worth = pawl_tuning_worth(tuning);
  if (!(tuning->bench.best < worth) && !pawl_tuning_has_specialist(tuning, worth))
    return 0; /* nothing to judge yet */
  const int blocks = tuning->spec->device == PAWL_CUDA ? GPU_RACE_BLOCKS : CPU_RACE_BLOCKS;
  const double wanted = pawl_tuning_later_seconds(tuning) + blocks * tuning->block_seconds;
  return fmin(wanted, MOST_RESERVED * tuning->options->budget_seconds);
}

/* --- the verdict --- */

/* Checks a racer and judges it on each case. */
static pawl_status judge(struct pawl_tuning *tuning, const struct pawl_tune_racer *racer,
                         size_t racers, struct pawl_tune_finalist *out, struct pawl_error *err) {
  const size_t cases = tuning->config_count;
  pawl_tune_finalist_init(out, racer->candidate);
  if (!tuning->tune.candidates[racer->candidate].proven)
    PAWL_TRY(pawl_tuning_check_finalist(tuning, &racer->kernel, pawl_tuning_left(tuning) / 2,
                                        &out->outcome, &out->reason, err));
  if (out->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  out->verdicts = pawl_arena_alloc(&tuning->project->arena, cases, sizeof *out->verdicts);
  PAWL_TRY(
      pawl_tuning_judge_kernel(tuning, &racer->kernel, NULL, racers * cases, out->verdicts, err));
  out->verdict_count = cases;
  out->reason = cases == 1 ? out->verdicts->reason : NULL;
  for (size_t i = 0; i < cases && out->outcome == PAWL_OUTCOME_OK; i++) {
    out->outcome = out->verdicts[i].outcome;
    if (!out->reason) out->reason = out->verdicts[i].reason;
  }
  pawl_tune_mean_speedup(out->verdicts, cases, &out->speedup, &out->low, &out->high);
  return PAWL_OK;
}

/* Judges the racers in the order of the race. The blocks of the race do not count for the
   verdicts. The first racer that is proven to be faster and harms no other case wins. */
static pawl_status judge_racers(struct pawl_tuning *tuning, const struct pawl_tune_racer *racers,
                                size_t count, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  const size_t before = tune->finalist_count;
  struct pawl_tune_finalist *finalists =
      pawl_arena_alloc(&tuning->project->arena, before + count + 1, sizeof *finalists);
  if (before) memcpy(finalists, tune->finalists, before * sizeof *finalists);
  tune->finalists = finalists;
  for (size_t i = 0; i < count; i++) {
    if (i && !pawl_tuning_may_judge(tuning)) {
      tune->unjudged = count - i;
      break;
    }
    struct pawl_tune_finalist *finalist = &tune->finalists[tune->finalist_count++];
    PAWL_TRY(judge(tuning, &racers[i], count, finalist, err));
    pawl_tune_conclude(tune, &tuning->project->arena);
    if (&tune->finalists[tune->winner] != finalist) continue;
    if (tune->recommended)
      PAWL_TRY(pawl_tuning_judge_others(tuning, &racers[i].kernel, finalist, err));
    if (!pawl_tune_harms(finalist)) return PAWL_OK;
  }
  return PAWL_OK;
}

/* --- finalists that fail, or harm a case --- */

static size_t count_harmful(const struct pawl_tune *tune) {
  size_t count = 0;
  for (size_t i = 0; i < tune->finalist_count; i++) count += pawl_tune_harms(&tune->finalists[i]);
  return count;
}

/* Takes the failures that the check or the blocks of the verdict found. */
static void take_failures(struct pawl_tune *tune, size_t first) {
  for (size_t f = first; f < tune->finalist_count; f++) {
    const struct pawl_tune_finalist *finalist = &tune->finalists[f];
    struct pawl_tune_candidate *candidate = &tune->candidates[finalist->candidate];
    if (finalist->outcome == PAWL_OUTCOME_OK) continue;
    candidate->outcome = finalist->outcome;
    candidate->reason = finalist->reason;
    pawl_tune_share(tune, candidate);
  }
}

/* Returns whether a candidate ended early and may be faster than the current code. `seen` marks the
 * candidates that were screened again. */
static bool has_ended(const struct pawl_tuning *tuning, const bool *seen, size_t i) {
  const struct pawl_tune_candidate *one = &tuning->tune.candidates[i];
  return !seen[i] && !one->checked && !one->same_as &&
         pawl_tune_ratio(one) < pawl_tuning_worth(tuning);
}

/* The best candidate that ended early beside a best that turned out to be wrong; tune->count:
   none is left. */
static size_t find_ended(const struct pawl_tuning *tuning, const bool *seen) {
  const struct pawl_tune *tune = &tuning->tune;
  double least = INFINITY;
  size_t best = tune->count;
  for (size_t i = 0; i < tune->count; i++) {
    if (!has_ended(tuning, seen, i) || !(pawl_tune_ratio(&tune->candidates[i]) < least)) continue;
    least = pawl_tune_ratio(&tune->candidates[i]);
    best = i;
  }
  return best;
}

static size_t count_ended(const struct pawl_tuning *tuning, const bool *seen) {
  size_t count = 0;
  for (size_t i = 0; i < tuning->tune.count; i++) count += has_ended(tuning, seen, i);
  return count;
}

/* Screens these candidates again, beside the present best. *left: the number without time. */
static pawl_status look_again(struct pawl_tuning *tuning, size_t *left, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  bool *seen = pawl_arena_alloc(&tuning->project->arena, tune->count + 1, sizeof *seen);
  *left = count_ended(tuning, seen);
  if (!(pawl_tuning_left(tuning) > 0)) return PAWL_OK;
  pawl_tune_bench_close(&tuning->bench);
  PAWL_TRY(pawl_tuning_open_bench(tuning, err));
  /* a judged candidate that is not faster must end no other candidate early */
  for (size_t i = 0; i < tune->count; i++)
    if (!pawl_tune_is_judged(tune, i)) pawl_tune_bench_learn(&tuning->bench, &tune->candidates[i]);
  for (size_t i; pawl_tuning_left(tuning) > pawl_tuning_reserve(tuning) &&
                 (i = find_ended(tuning, seen)) < tune->count;) {
    const struct pawl_progress progress = {"tuning", pawl_tuning_seconds(tuning),
                                           tuning->options->budget_seconds, true, true};
    seen[i] = true;
    pawl_progress_show(tuning->project->options.log, &progress,
                       "what looked fastest does not work everywhere; again %s",
                       tune->candidates[i].key);
    PAWL_TRY(pawl_tuning_evaluate_again(tuning, &tune->candidates[i], err));
  }
  pawl_progress_end(tuning->project->options.log);
  *left = count_ended(tuning, seen);
  return PAWL_OK;
}

/* --- the final --- */

static pawl_status run_final(struct pawl_tuning *tuning, struct pawl_tune_racer *racers,
                             size_t count, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  size_t finalists[MAX_FINALISTS];
  const double begin = pawl_tuning_seconds(tuning);
  const size_t first = tune->finalist_count;
  if (count) PAWL_TRY(pawl_tuning_race(tuning, racers, &count, err));
  tune->race_seconds += pawl_tuning_seconds(tuning) - begin;
  if (count > MAX_FINALISTS) count = MAX_FINALISTS;
  for (size_t i = 0; i < count; i++) finalists[i] = racers[i].candidate;
  PAWL_TRY(pawl_tuning_race_settings(tuning, finalists, count, err));
  pawl_tune_bench_close(&tuning->bench);
  PAWL_TRY(judge_racers(tuning, racers, count, err));
  take_failures(tune, first);
  return PAWL_OK;
}

/* No candidate that may be faster is left. With several cases, the table of settings is made
   again without the settings that failed. */
static pawl_status end_finals(struct pawl_tuning *tuning, struct pawl_error *err) {
  if (!tuning->tune.finalist_count) return PAWL_OK;
  if (pawl_tuning_left(tuning) > 0) PAWL_TRY(pawl_tuning_race_settings(tuning, NULL, 0, err));
  pawl_tune_bench_close(&tuning->bench);
  return pawl_tuning_judge_rule(tuning, err);
}

static bool has_winner(const struct pawl_tune *tune) {
  return tune->winner < tune->finalist_count && !pawl_tune_harms(&tune->finalists[tune->winner]);
}

/* The first block may have been slow because of another program. One slow block does not end the
   search. */
static pawl_status find_time(struct pawl_tuning *tuning, bool *out, struct pawl_error *err) {
  struct pawl_tune_evaluation self;
  *out = pawl_tuning_may_judge(tuning);
  if (!*out && pawl_tuning_left(tuning) > 0) {
    PAWL_TRY(pawl_tune_bench_block(&tuning->bench, &tuning->base, NULL, 0, &self, err));
    tuning->block_seconds = fmin(tuning->block_seconds, tuning->bench.block_seconds);
    *out = pawl_tuning_may_judge(tuning);
  }
  tuning->tune.judging_seconds = pawl_tuning_judging_seconds(tuning);
  return PAWL_OK;
}

/* If a finalist fails or harms a case, and none wins, the next final has the other candidates
   that may be faster. */
pawl_status pawl_tuning_judge(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  struct pawl_tune_racer racers[PAWL_TUNE_MOST_RACERS];
  size_t ended = 0; /* ended early beside a wrong best, and not screened again */
  tune->screening_seconds = pawl_tuning_seconds(tuning);
  for (;;) {
    const size_t count = pawl_tuning_choose_racers(tuning, pawl_tuning_worth(tuning), racers);
    const bool specialist = pawl_tuning_has_specialist(tuning, pawl_tuning_worth(tuning));
    if (!count && (!specialist || tune->finalist_count)) {
      tune->unjudged = ended;
      return end_finals(tuning, err);
    }
    bool has_time;
    PAWL_TRY(find_time(tuning, &has_time, err));
    if (!has_time) tune->unjudged = (count ? count : specialist) + ended;
    if (tune->unjudged) return PAWL_OK;
    const size_t before = pawl_tune_failed(tune) + count_harmful(tune);
    PAWL_TRY(run_final(tuning, racers, count, err));
    if (pawl_tuning_is_stopped(tuning)) return PAWL_OK;
    const bool open = pawl_tune_failed(tune) + count_harmful(tune) > before && !has_winner(tune);
    if (!open && !has_winner(tune)) tune->unjudged += ended;
    if (!open || tune->unjudged) return pawl_tuning_judge_rule(tuning, err);
    PAWL_TRY(look_again(tuning, &ended, err));
  }
}
