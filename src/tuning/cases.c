/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/cases.h"

#include <math.h>

#include "base/progress.h"
#include "stats/describe.h"
#include "tuning/verdict.h"

#define MAX_SETTINGS 12u /* settings in the race, the current parameters included */
#define OF_EACH 2u       /* candidates of each case */
#define ROUNDS 6u        /* blocks of each setting on each case */
/* after these rounds only settings near the best of a case go on there \ */
#define ROUNDS_OF_ALL 2u
#define CLOSE 1.3 /* times the best of the case */
/* gives other blocks than the screening, the race and the verdicts */
#define SETTINGS_SEED 4000000u

/* A setting and its blocks on each case. */
struct setting {
  size_t candidate;
  struct pawl_ready_kernel kernel;
  double *blocks; /* [case * ROUNDS + block]: ratios to the current code */
  size_t *counts; /* the number of blocks on each case */
  bool failed;
};

/* --- the choice of settings --- */

static double cases_ratio_on(const struct pawl_tuning *tuning, size_t candidate, size_t number) {
  const struct pawl_tune_candidate *one = &tuning->tune.candidates[candidate];
  if (one->outcome != PAWL_OUTCOME_OK || one->same_as || number >= one->time_count) return NAN;
  return one->times[number].checked ? one->times[number].median_ms / one->times[number].base_ms
                                    : NAN;
}

bool pawl_tuning_has_specialist(const struct pawl_tuning *tuning, double least) {
  for (size_t i = 0; tuning->config_count > 1 && i < tuning->bench.case_count; i++)
    if (tuning->bench.cases[i].best < least) return true;
  return false;
}

static size_t most_settings(const struct pawl_tuning *tuning) {
  const size_t wanted = 4 + OF_EACH * tuning->config_count;
  return wanted < MAX_SETTINGS ? wanted : MAX_SETTINGS;
}

double pawl_tuning_settings_seconds(const struct pawl_tuning *tuning) {
  if (tuning->config_count == 1) return 0;
  return (double)(most_settings(tuning) * ROUNDS_OF_ALL + 2 * ROUNDS) * tuning->block_seconds;
}

static void add_setting(const struct pawl_tuning *tuning, struct setting *settings, size_t *count,
                        size_t candidate) {
  for (size_t i = 0; i < *count; i++)
    if (settings[i].candidate == candidate) return;
  if (*count < most_settings(tuning))
    settings[(*count)++] = (struct setting){.candidate = candidate};
}

/* The candidate of this rank on a case, among those that are faster there than the current
   parameters. */
static size_t best_on(const struct pawl_tuning *tuning, size_t number, size_t rank) {
  double above = 0, least = 1;
  size_t found = PAWL_TUNE_NO_CANDIDATE;
  for (size_t i = 0; i <= rank; i++, above = least) {
    found = PAWL_TUNE_NO_CANDIDATE;
    least = 1;
    for (size_t j = 0; j < tuning->tune.count; j++) {
      const double ratio = cases_ratio_on(tuning, j, number);
      if (!(ratio > above && ratio < least)) continue;
      least = ratio;
      found = j;
    }
  }
  return found;
}

static size_t choose_settings(const struct pawl_tuning *tuning, const size_t *finalists,
                              size_t finalist_count, struct setting *out) {
  size_t count = 0;
  add_setting(tuning, out, &count, PAWL_TUNE_NO_CANDIDATE);
  for (size_t i = 0; i < finalist_count; i++) add_setting(tuning, out, &count, finalists[i]);
  for (size_t rank = 0; rank < OF_EACH; rank++)
    for (size_t i = 0; i < tuning->config_count; i++) {
      const size_t candidate = best_on(tuning, i, rank);
      if (candidate != PAWL_TUNE_NO_CANDIDATE) add_setting(tuning, out, &count, candidate);
    }
  return count;
}

/* --- the race --- */

static double cases_median_of(const double *values, size_t count) {
  struct pawl_summary summary;
  struct pawl_error ignored;
  return count && pawl_summarize(values, count, &summary, &ignored) == PAWL_OK ? summary.median
                                                                               : NAN;
}

/* NaN: the setting failed, or has too few blocks. */
static double cases_cell(const struct setting *setting, size_t number) {
  if (setting->candidate == PAWL_TUNE_NO_CANDIDATE) return 1;
  if (setting->failed || setting->counts[number] < ROUNDS_OF_ALL) return NAN;
  return cases_median_of(&setting->blocks[number * ROUNDS], setting->counts[number]);
}

/* Chooses the cases on which the setting may still be the best. */
static bool choose_cases(const struct setting *settings, size_t count, size_t cases, size_t at,
                         size_t round, bool *wanted) {
  bool any = false;
  for (size_t i = 0; i < cases; i++) {
    double least = 1;
    for (size_t j = 0; j < count; j++) least = fmin(least, cases_cell(&settings[j], i));
    wanted[i] = round < ROUNDS_OF_ALL || cases_cell(&settings[at], i) <= CLOSE * least;
    any |= wanted[i];
  }
  return any && !settings[at].failed;
}

static pawl_status run_setting(struct pawl_tuning *tuning, struct setting *setting,
                               const bool *wanted, uint64_t number, struct pawl_error *err) {
  struct pawl_tune_evaluation evaluation;
  PAWL_TRY(pawl_tune_bench_block(&tuning->bench, &setting->kernel, wanted, SETTINGS_SEED + number,
                                 &evaluation, err));
  setting->failed = evaluation.outcome != PAWL_OUTCOME_OK;
  for (size_t i = 0; i < tuning->config_count && !setting->failed; i++)
    if (wanted[i])
      setting->blocks[i * ROUNDS + setting->counts[i]++] =
          evaluation.times[i].median_ms / evaluation.times[i].base_ms;
  return PAWL_OK;
}

static pawl_status run_rounds(struct pawl_tuning *tuning, struct setting *settings, size_t count,
                              struct pawl_error *err) {
  const double judging = 2 * PAWL_TUNE_JUDGING_BLOCKS * tuning->block_seconds;
  uint64_t number = 0;
  for (size_t round = 0; round < ROUNDS; round++) {
    if (round >= ROUNDS_OF_ALL && pawl_tuning_left(tuning) <= judging) break;
    for (size_t i = 1; i < count; i++) { /* settings[0] is the current parameters */
      bool wanted[PAWL_TUNE_MOST_CASES];
      if (!(pawl_tuning_left(tuning) > 0)) return PAWL_OK;
      if (!choose_cases(settings, count, tuning->config_count, i, round, wanted)) continue;
      const struct pawl_progress progress = {"racing for each case", (double)(round * count + i),
                                             (double)(ROUNDS * count), false};
      pawl_progress_show(tuning->project->options.log, &progress, "%zu settings; now %s", count - 1,
                         tuning->tune.candidates[settings[i].candidate].key);
      PAWL_TRY(run_setting(tuning, &settings[i], wanted, number++, err));
    }
  }
  return PAWL_OK;
}

/* The standard error of the log of a median, pooled over the cells. It comes from the median
   absolute deviation, because a few disturbed blocks do not move a median. */
static double noise_of(const struct setting *settings, size_t count, size_t cases) {
  double *deviations = pawl_alloc(count * cases * ROUNDS, sizeof *deviations);
  size_t blocks = 0, cells = 0;
  for (size_t i = 0; i < count * cases; i++) {
    const struct setting *setting = &settings[i / cases];
    const size_t here = setting->counts ? setting->counts[i % cases] : 0;
    if (here < 2) continue;
    const double *values = &setting->blocks[i % cases * ROUNDS],
                 center = log(cases_median_of(values, here));
    for (size_t j = 0; j < here; j++) deviations[blocks++] = fabs(log(values[j]) - center);
    cells++;
  }
  const double all = (double)blocks, own = all - (double)cells; /* each cell has its own median */
  const double deviation =
      blocks ? PAWL_DEVIATION_OF_MAD * cases_median_of(deviations, blocks) * sqrt(all / own) : NAN;
  pawl_free(deviations);
  return PAWL_ERROR_OF_MEDIAN * deviation / sqrt(all / (double)cells);
}

static void keep_table(struct pawl_tuning *tuning, const struct setting *settings, size_t count) {
  struct pawl_arena *arena = &tuning->project->arena;
  const size_t cases = tuning->config_count;
  struct pawl_tune_selection *selection = pawl_arena_alloc(arena, 1, sizeof *selection);
  size_t *candidates = pawl_arena_alloc(arena, count, sizeof *candidates);
  double *ratios = pawl_arena_alloc(arena, count * cases, sizeof *ratios);
  for (size_t i = 0; i < count; i++) {
    candidates[i] = settings[i].candidate;
    for (size_t j = 0; j < cases; j++) ratios[i * cases + j] = cases_cell(&settings[i], j);
  }
  *selection = (struct pawl_tune_selection){.settings = candidates,
                                            .setting_count = count,
                                            .ratios = ratios,
                                            .noise = noise_of(settings, count, cases)};
  tuning->tune.selection = selection;
}

pawl_status pawl_tuning_race_settings(struct pawl_tuning *tuning, const size_t *finalists,
                                      size_t finalist_count, struct pawl_error *err) {
  struct pawl_arena *arena = &tuning->project->arena;
  struct setting settings[MAX_SETTINGS];
  const size_t cases = tuning->config_count;
  if (cases == 1) return PAWL_OK;
  const size_t count = choose_settings(tuning, finalists, finalist_count, settings);
  for (size_t i = 1; i < count; i++) {
    settings[i].blocks = pawl_arena_alloc(arena, cases * ROUNDS, sizeof(double));
    settings[i].counts = pawl_arena_alloc(arena, cases, sizeof(size_t));
    PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[settings[i].candidate].index,
                               &settings[i].kernel, err));
    settings[i].failed = settings[i].kernel.outcome != PAWL_OUTCOME_OK;
  }
  PAWL_TRY(run_rounds(tuning, settings, count, err));
  pawl_progress_end(tuning->project->options.log);
  keep_table(tuning, settings, count);
  return PAWL_OK;
}

/* --- the rule --- */

/* The index of the one setting in the table. If no setting is recommended, it is the index of
   the current parameters. */
static size_t find_one(const struct pawl_tune *tune) {
  const struct pawl_tune_selection *selection = tune->selection;
  for (size_t i = 1; tune->recommended && i < selection->setting_count; i++)
    if (selection->settings[i] == tune->finalists[tune->winner].candidate) return i;
  return 0;
}

/* The verdict for the current parameters: a speed-up of 1. */
static struct pawl_tune_verdict no_change(void) {
  struct pawl_tune_verdict verdict = {.speedup = 1, .low = 1, .high = 1};
  pawl_paired_test_init(&verdict.paired);
  verdict.paired.decision = PAWL_DECISION_MAINTAINED;
  return verdict;
}

static pawl_status judge_setting(struct pawl_tuning *tuning, size_t candidate, const bool *wanted,
                                 size_t comparisons, struct pawl_tune_verdict *verdicts,
                                 struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  enum pawl_outcome outcome;
  const char *reason;
  PAWL_TRY(pawl_tuning_ready(tuning, tuning->tune.candidates[candidate].index, &kernel, err));
  outcome = kernel.outcome;
  reason = kernel.reason;
  if (outcome == PAWL_OUTCOME_OK)
    PAWL_TRY(pawl_tuning_check_finalist(tuning, &kernel, pawl_tuning_left(tuning) / 2, &outcome,
                                        &reason, err));
  if (outcome == PAWL_OUTCOME_OK)
    return pawl_tuning_judge_kernel(tuning, &kernel, wanted, comparisons, verdicts, err);
  for (size_t i = 0; i < tuning->config_count; i++) {
    if (!wanted[i]) continue;
    verdicts[i] = no_change();
    verdicts[i].outcome = outcome;
    verdicts[i].reason = reason;
    verdicts[i].speedup = verdicts[i].low = verdicts[i].high = NAN;
    verdicts[i].harmed = true;
  }
  return PAWL_OK;
}

/* Judges each setting on its cases, in new blocks. The one setting has verdicts on all cases
   already. *done: the time was enough. */
static pawl_status judge_settings(struct pawl_tuning *tuning, struct pawl_tune_verdict *verdicts,
                                  bool *done, struct pawl_error *err) {
  const struct pawl_tune *tune = &tuning->tune;
  const struct pawl_tune_selection *selection = tune->selection;
  *done = true;
  for (size_t setting = 0; setting < selection->setting_count && *done; setting++) {
    const size_t candidate = selection->settings[setting];
    bool wanted[PAWL_TUNE_MOST_CASES], any = false;
    for (size_t i = 0; i < tune->case_count; i++) {
      wanted[i] = pawl_tune_rule_candidate(tune, i) == candidate;
      any |= wanted[i];
      if (wanted[i] && !setting) verdicts[i] = no_change();
      if (wanted[i] && setting && setting == selection->one)
        verdicts[i] = tune->finalists[tune->winner].verdicts[i];
    }
    if (!any || !setting || setting == selection->one) continue;
    *done = pawl_tuning_may_judge(tuning);
    if (*done) PAWL_TRY(judge_setting(tuning, candidate, wanted, tune->case_count, verdicts, err));
  }
  *done = *done && !pawl_tuning_is_stopped(tuning);
  return PAWL_OK;
}

pawl_status pawl_tuning_judge_rule(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune *tune = &tuning->tune;
  struct pawl_tune_selection *selection = tune->selection;
  struct pawl_arena *arena = &tuning->project->arena;
  if (!selection) return PAWL_OK;
  struct pawl_rule_table table = {
      .settings = selection->setting_count, .cases = tune->case_count, .ratios = selection->ratios};
  table.values = pawl_tune_shapes(tune, arena, &table.dims);
  pawl_tune_conclude(tune, arena);
  selection->one = find_one(tune);
  pawl_rule_find(&table, selection->one, selection->noise, &selection->rule);
  if (pawl_rule_is_one_setting(&selection->rule)) return PAWL_OK;
  struct pawl_tune_verdict *verdicts = pawl_arena_alloc(arena, tune->case_count, sizeof *verdicts);
  bool done;
  PAWL_TRY(judge_settings(tuning, verdicts, &done, err));
  if (done) selection->verdicts = verdicts;
  return PAWL_OK;
}
