/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies on a space whose optimum is known, and what follows from a
 * tuning. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/count.h"
#include "base/file.h"
#include "tune/insight.h"
#include "tune/journal.h"
#include "tune/prior.h"
#include "tune/search_replay.h"
#include "tune/surrogate.h"

#define SIDE 12
#define CONFIGURATIONS (SIDE * SIDE * SIDE)
#define SEEDS 10

/* A bowl with its bottom at (7, 3, 9); a corner of it fails. */
static double time_at(const uint16_t *at) {
  const double a = at[0] - 7.0, b = at[1] - 3.0, c = at[2] - 9.0;
  if (at[0] > 9 && at[1] > 8) return NAN;
  return 1 + 0.02 * a * a + 0.03 * b * b + 0.01 * c * c + 0.005 * a * b;
}

static void make_record(struct pawl_arena *arena, struct pawl_tune_record *record) {
  static const char *const names[] = {"A", "B", "C"};
  struct pawl_tune_axis *axes = pawl_arena_alloc(arena, 3, sizeof *axes);
  uint16_t *all = pawl_arena_alloc(arena, CONFIGURATIONS * 3, sizeof *all);
  struct pawl_error err = {0};
  for (int i = 0; i < 3; i++) {
    axes[i] = (struct pawl_tune_axis){.name = names[i], .count = SIDE, .ordinal = true};
    axes[i].values = pawl_arena_alloc(arena, SIDE, sizeof *axes[i].values);
    for (int j = 0; j < SIDE; j++)
      axes[i].values[j] = pawl_tune_value_of(pawl_arena_printf(arena, "%d", j));
  }
  for (int i = 0; i < CONFIGURATIONS; i++) {
    all[3 * i] = (uint16_t)(i % SIDE);
    all[3 * i + 1] = (uint16_t)(i / SIDE % SIDE);
    all[3 * i + 2] = (uint16_t)(i / SIDE / SIDE);
  }
  *record = (struct pawl_tune_record){.best = 1};
  assert_int_equal(pawl_space_of_list(&record->space, axes, 3, all, CONFIGURATIONS, arena, &err),
                   PAWL_OK);
  record->times = pawl_arena_alloc(arena, CONFIGURATIONS, sizeof *record->times);
  for (size_t i = 0; i < CONFIGURATIONS; i++)
    record->times[i] = time_at(pawl_space_at(&record->space, i));
}

static enum pawl_status_code replay_of(const struct pawl_tune_record *record, const char *strategy,
                                       size_t evaluations, size_t batch, uint64_t seed,
                                       struct pawl_arena *arena, struct pawl_tune_replay *out,
                                       struct pawl_error *err) {
  const struct pawl_tune_replay_options options = {
      .strategy = strategy, .evaluations = evaluations, .batch = batch, .seed = seed};
  return pawl_tune_replay_run(record, &options, arena, out, err);
}

/* The mean, over seeds, of the best found after `evaluations`. */
static double best_found(const struct pawl_tune_record *record, const char *strategy,
                         size_t evaluations) {
  double sum = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct pawl_arena arena = {0};
    struct pawl_tune_replay replay;
    struct pawl_error err = {0};
    assert_int_equal(replay_of(record, strategy, evaluations, 1, seed, &arena, &replay, &err),
                     PAWL_OK);
    assert_int_equal(replay.evaluations, evaluations);
    assert_true(replay.step_count > 0);
    sum += replay.steps[replay.step_count - 1].time / SEEDS;
    pawl_arena_clear(&arena);
  }
  return sum;
}

static void test_better_than_chance(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  make_record(&arena, &record);
  const double chance = best_found(&record, "random", 50) - 1;
  static const char *const strategies[] = {"bayesian", "auto"};
  for (size_t i = 0; i < PAWL_COUNT(strategies); i++) {
    const double excess = best_found(&record, strategies[i], 50) - 1;
    if (!(excess < 0.5 * chance))
      fail_msg("%s: %.4f above the optimum, chance %.4f", strategies[i], excess, chance);
  }
  pawl_arena_clear(&arena);
}

static void test_every_strategy_tries_all_once(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_axis axes[2] = {{.name = "A", .count = 4, .ordinal = true},
                                   {.name = "B", .count = 5}};
  uint16_t all[20][2];
  struct pawl_space space;
  struct pawl_error err = {0};
  struct pawl_tune_value values[5] = {{"a", NAN}, {"b", NAN}, {"c", NAN}, {"d", NAN}, {"e", NAN}};
  axes[0].values = axes[1].values = values;
  for (uint16_t i = 0; i < 20; i++) all[i][0] = i % 4, all[i][1] = i / 4;
  assert_int_equal(pawl_space_of_list(&space, axes, 2, &all[0][0], 20, &arena, &err), PAWL_OK);
  for (size_t s = 0; s < pawl_strategy_count; s++) {
    struct pawl_search search;
    bool seen[20] = {false};
    assert_int_equal(pawl_search_init(&search, &space, pawl_strategies[s]->name, 3, &err), PAWL_OK);
    for (size_t i = 0; i < 20; i++) {
      const size_t index = pawl_search_next(&search);
      assert_true(index < 20 && !seen[index]);
      seen[index] = true;
      pawl_search_tell(&search, index, i % 3 ? 1.0 + (double)index : NAN); /* failures among them */
    }
    assert_true(pawl_search_next(&search) == PAWL_NO_CONFIGURATION);
    pawl_search_release(&search);
  }
  pawl_arena_clear(&arena);
}

/* Eight questions before the first answer: each configuration is asked for once, and all are told.
 */
static void test_batches(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  make_record(&arena, &record);
  for (size_t s = 0; s < pawl_strategy_count; s++) {
    struct pawl_tune_replay replay;
    struct pawl_error err = {0};
    assert_int_equal(replay_of(&record, pawl_strategies[s]->name, 43, 8, 1, &arena, &replay, &err),
                     PAWL_OK);
    assert_int_equal(replay.evaluations, 43);
    assert_true(replay.step_count > 0);
  }
  pawl_arena_clear(&arena);
}

/* Orders what is held and the same backwards; returns how many questions are answered before older
   ones. From four results on the least expected time is first. */
static size_t require_order(struct pawl_search *search) {
  const size_t count = search->held_count;
  const bool knows = search->tried_count >= 4;
  size_t ordered[8], backwards[8], overtook = 0;
  double before = -INFINITY;
  for (size_t i = 0; i < count; i++) ordered[i] = backwards[count - 1 - i] = search->held[i];
  pawl_search_order(search, ordered, count);
  pawl_search_order(search, backwards, count);
  for (size_t i = 0; i < count; i++) {
    double mean, deviation;
    assert_true(pawl_surrogate_predict(search->state, ordered[i], &mean, &deviation));
    if (!knows) assert_int_equal(ordered[i], search->held[i]);
    assert_int_equal(backwards[i], knows ? ordered[i] : search->held[count - 1 - i]);
    assert_true(!knows || mean >= before);
    before = mean;
    overtook += ordered[i] != search->held[i];
  }
  memcpy(search->held, ordered, count * sizeof *ordered);
  return overtook;
}

/* A replay in batches of eight finds the same as this. */
static size_t require_batches(const struct pawl_tune_record *record, uint64_t seed,
                              struct pawl_arena *arena) {
  struct pawl_tune_replay replay;
  struct pawl_search search;
  struct pawl_error err = {0};
  size_t steps = 0, overtook = 0;
  assert_int_equal(replay_of(record, "auto", 34, 8, seed, arena, &replay, &err), PAWL_OK);
  assert_int_equal(pawl_search_init(&search, &record->space, "auto", seed, &err), PAWL_OK);
  assert_int_equal(pawl_search_first(&search), 2);
  for (size_t done = 0; done < 34;) {
    for (size_t i = 0; i < (done ? 8 : 2); i++)
      pawl_search_hold(&search, pawl_search_next(&search));
    while (search.held_count) {
      overtook += require_order(&search);
      const size_t index = search.held[0], before = search.best;
      pawl_search_tell(&search, index, record->times[index]);
      done++;
      if (search.best == before) continue;
      assert_true(steps < replay.step_count);
      assert_int_equal(replay.steps[steps].evaluations, done);
      assert_int_equal(replay.steps[steps++].index, index);
    }
  }
  assert_int_equal(steps, replay.step_count);
  pawl_search_release(&search);
  return overtook;
}

/* Expects the later ones to be faster, and knows nothing of one. */
static bool expect_backwards(struct pawl_search *search, void *state, const size_t *held,
                             size_t count, double *out) {
  (void)search, (void)state;
  for (size_t i = 0; i < count; i++) out[i] = -(double)held[i];
  return held[0] != 7 && (count < 2 || held[1] != 7);
}

static void test_order(void **state) {
  (void)state;
  const struct pawl_strategy backwards = {.expect = expect_backwards}, none = {0};
  struct pawl_search search = {.strategy = &backwards};
  size_t known[] = {1, 3, 2, 9}, unknown[] = {1, 7, 9}, asked[] = {1, 3};
  pawl_search_order(&search, known, 4);
  assert_true(known[0] == 9 && known[1] == 3 && known[2] == 2 && known[3] == 1);
  pawl_search_order(&search, unknown, 3);
  assert_true(unknown[0] == 1 && unknown[1] == 7 && unknown[2] == 9);
  search.strategy = &none;
  pawl_search_order(&search, asked, 2);
  assert_true(asked[0] == 1 && asked[1] == 3);
  pawl_search_order(&search, asked, 0);
}

/* The first batch of a replay is of the questions that no answer changes, and the others are whole.
 */
static void test_first_batch(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  size_t overtook = 0;
  make_record(&arena, &record);
  for (uint64_t seed = 1; seed <= 8; seed++) overtook += require_batches(&record, seed, &arena);
  assert_true(overtook > 0);
  pawl_arena_clear(&arena);
}

/* Only failures: the search goes on to the end and finds nothing. */
static void test_all_fail(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  make_record(&arena, &record);
  for (size_t i = 0; i < CONFIGURATIONS; i++) record.times[i] = NAN;
  for (size_t s = 0; s < pawl_strategy_count; s++) {
    struct pawl_tune_replay replay;
    struct pawl_error err = {0};
    assert_int_equal(replay_of(&record, pawl_strategies[s]->name, 60, 1, 1, &arena, &replay, &err),
                     PAWL_OK);
    assert_int_equal(replay.failed, 60);
    assert_int_equal(replay.step_count, 0);
  }
  pawl_arena_clear(&arena);
}

static void test_seed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  struct pawl_tune_replay a, b, other;
  struct pawl_error err = {0};
  make_record(&arena, &record);
  assert_int_equal(replay_of(&record, "auto", 60, 1, 5, &arena, &a, &err), PAWL_OK);
  assert_int_equal(replay_of(&record, "auto", 60, 1, 5, &arena, &b, &err), PAWL_OK);
  assert_int_equal(replay_of(&record, "auto", 60, 1, 6, &arena, &other, &err), PAWL_OK);
  assert_int_equal(a.step_count, b.step_count);
  for (size_t i = 0; i < a.step_count; i++) {
    assert_int_equal(a.steps[i].index, b.steps[i].index);
    assert_int_equal(a.steps[i].evaluations, b.steps[i].evaluations);
  }
  assert_true(a.steps[0].index != other.steps[0].index || a.step_count != other.step_count);
  assert_int_equal(replay_of(&record, "bayesain", 60, 1, 5, &arena, &a, &err), PAWL_USAGE);
  assert_string_equal(err.message, "no strategy 'bayesain'; did you mean 'bayesian'?");
  pawl_arena_clear(&arena);
}

/* --- conclusions --- */

static void test_conclusions(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_candidate candidates[] = {{.key = "A=1", .median_ms = 1, .base_ms = 2}};
  struct pawl_tune_verdict verdict = {.speedup = NAN};
  struct pawl_tune_finalist finalist = {
      .verdicts = &verdict, .verdict_count = 1, .speedup = NAN, .low = 1.9, .high = 2.1};
  struct pawl_tune_other other = {.case_name = "large", .harmed = true};
  const struct pawl_space space = {.count = 9};
  struct pawl_tune tune = {
      .case_name = "small", .improve = 0.05, .candidates = candidates, .space = &space};
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.recommended); /* nothing was timed */
  tune.count = 1;
  pawl_tune_conclude(&tune, &arena);
  assert_true(tune.decided && !tune.recommended); /* timed, none faster */
  assert_string_equal(tune.conclusion,
                      "nothing better found: none of 1 of 9 configurations is proven to be faster");
  tune.unjudged = 2;
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.recommended);
  assert_string_equal(
      tune.conclusion,
      "no decision: the budget ended before the gate judged 2 faster configurations; "
      "use --resume and a larger --budget");
  tune.budget_seconds = 12;
  tune.seconds = 20;
  tune.judging_seconds = 28;
  pawl_tune_conclude(&tune, &arena);
  assert_non_null(strstr(tune.conclusion, "; use --resume and --budget 80s or more"));
  tune.judging_seconds = 60;
  pawl_tune_conclude(&tune, &arena);
  assert_non_null(strstr(tune.conclusion, "; use --resume and --budget 3m or more"));
  tune.unjudged = 0;
  tune.stopped = true;
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.recommended);
  tune.stopped = false;
  tune.finalists = &finalist;
  tune.finalist_count = 1;
  verdict.paired.decision = PAWL_DECISION_INCONCLUSIVE;
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.recommended);
  assert_null(strstr(tune.conclusion, "busy"));
  struct pawl_paired_block loaded[9];
  for (int i = 0; i < 9; i++)
    loaded[i] = (struct pawl_paired_block){.spoiled = "other processes used 1.2 CPUs"};
  verdict.paired.blocks = loaded;
  verdict.paired.block_count = 9;
  pawl_tune_conclude(&tune, &arena);
  assert_non_null(
      strstr(tune.conclusion,
             "; stop what else runs here, or set 'gate: {busy: count}'; then use --resume "));
  struct pawl_tune_verdict calm = {.paired.decision = PAWL_DECISION_INCONCLUSIVE};
  struct pawl_tune_finalist two[] = {finalist, finalist};
  two[1].verdicts = &calm;
  tune.finalists = two;
  tune.finalist_count = 2;
  pawl_tune_conclude(&tune, &arena);
  assert_non_null(strstr(tune.conclusion, "'gate: {busy: count}'")); /* the first met the load */
  tune.finalists = &finalist;
  tune.finalist_count = 1;
  verdict.paired.blocks = NULL;
  verdict.paired.block_count = 0;
  verdict.paired.decision = PAWL_DECISION_MAINTAINED;
  pawl_tune_conclude(&tune, &arena);
  assert_true(tune.decided && !tune.recommended);
  verdict.paired.decision = PAWL_DECISION_IMPROVEMENT;
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.recommended); /* proven faster, but never confirmed */
  finalist.speedup = 1.04;
  pawl_tune_conclude(&tune, &arena);
  assert_string_equal(tune.conclusion,
                      "nothing better found: A=1 is 4.0 % faster, and the limit is 5 %");
  assert_true(tune.decided && !tune.recommended);
  finalist.speedup = 2;
  pawl_tune_conclude(&tune, &arena);
  assert_string_equal(tune.conclusion,
                      "recommended: A=1 is 2.00 times as fast on small [1.90, 2.10]");
  assert_true(tune.recommended);
  finalist.others = &other;
  finalist.other_count = 1;
  pawl_tune_conclude(&tune, &arena);
  assert_string_equal(tune.conclusion,
                      "not recommended: A=1 is 2.00 times as fast on small, but slower on large");
  assert_true(tune.decided && !tune.recommended);
  pawl_arena_clear(&arena);
}

/* Where the winner is no answer, who may be one keeps the question open. */
static void test_who_may_be_better_than_no_answer(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_candidate candidates[] = {{.key = "A=1", .median_ms = 1, .base_ms = 2},
                                             {.key = "A=2"}};
  struct pawl_tune_verdict proven = {.paired.decision = PAWL_DECISION_IMPROVEMENT},
                           open = {.paired.decision = PAWL_DECISION_INCONCLUSIVE, .speedup = NAN};
  struct pawl_tune_other other = {.case_name = "large", .harmed = true};
  struct pawl_tune_finalist finalists[] = {
      {.verdicts = &proven, .verdict_count = 1, .speedup = 2, .others = &other, .other_count = 1},
      {.candidate = 1, .verdicts = &open, .verdict_count = 1, .speedup = NAN, .reason = "late"}};
  const struct pawl_space space = {.count = 9};
  struct pawl_tune tune = {.case_name = "small",
                           .improve = 0.05,
                           .candidates = candidates,
                           .count = 2,
                           .space = &space,
                           .finalists = finalists,
                           .finalist_count = 2};
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.finished || tune.recommended);
  assert_string_equal(
      tune.conclusion,
      "no decision: not recommended: A=1 is 2.00 times as fast on small, but slower on large; the "
      "gate was "
      "inconclusive about 1 of 2 finalists: late; use --resume and a larger --budget");
  finalists[0].other_count = 0;
  finalists[0].speedup = 1.02;
  pawl_tune_conclude(&tune, &arena);
  assert_false(tune.decided || tune.finished || tune.recommended);
  finalists[0].speedup = 2;
  pawl_tune_conclude(&tune, &arena);
  assert_true(tune.decided && tune.finished && tune.recommended);
  pawl_arena_clear(&arena);
}

/* The speedup is the median ratio of six confirming blocks, one of them spoiled. Fewer blocks
   than the verdict's confirm nothing. */
static void test_confirmed(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_paired_block blocks[] = {{4, 2, NULL},   {4, 2, NULL}, {9, 1, "busy"},
                                       {4.4, 2, NULL}, {4, 2, NULL}, {3.6, 2, NULL}};
  struct pawl_tune_verdict verdict = {
      .paired = {.confirmation = blocks, .confirmation_count = 6, .counted = 5}};
  pawl_tune_verdict_read(&verdict, 1, &arena);
  assert_true(fabs(verdict.speedup - 2) < 1e-12);
  verdict.paired.counted = 6;
  pawl_tune_verdict_read(&verdict, 1, &arena);
  assert_true(isnan(verdict.speedup) && !verdict.harmed);
  pawl_arena_clear(&arena);
}

/* The prior's best that are in the space, apart from each other; they are asked first, and
 * exploring goes on after. */
static void test_prior(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  struct pawl_search search;
  struct pawl_error err = {0};
  struct pawl_tune_prior prior;
  make_record(&arena, &record);
  assert_int_equal(pawl_tune_prior(&record, "old.json", &record.space, NULL, &arena, &prior, &err),
                   PAWL_OK);
  assert_int_equal(prior.first_count, PAWL_PRIOR_MOST);
  const size_t *first = prior.first;
  const uint16_t *best = pawl_space_at(&record.space, first[0]),
                 *second = pawl_space_at(&record.space, first[1]);
  assert_true(best[0] == 7 && best[1] == 3 && best[2] == 9);
  assert_true((best[0] != second[0]) + (best[1] != second[1]) + (best[2] != second[2]) >= 2);
  for (size_t i = 1; i < prior.first_count; i++)
    assert_true(record.times[first[i - 1]] <= record.times[first[i]]);
  assert_int_equal(pawl_search_init(&search, &record.space, "random", 1, &err), PAWL_OK);
  pawl_search_tell(&search, first[1], 1.1); /* known already: not asked again */
  pawl_tune_prior_use(&prior, &search);
  assert_int_equal(pawl_search_next(&search), first[0]);
  pawl_search_tell(&search, first[0], 1);
  assert_int_equal(pawl_search_next(&search), first[2]);
  pawl_search_release(&search);
  pawl_arena_clear(&arena);
}

/* How many evaluations `auto` needs to the optimum of the record, given a prior; at most `limit`.
 */
static size_t needed(const struct pawl_tune_record *record, const struct pawl_tune_prior *prior,
                     uint64_t seed, size_t limit) {
  struct pawl_search search;
  struct pawl_error err = {0};
  size_t count = 0;
  assert_int_equal(pawl_search_init(&search, &record->space, "auto", seed, &err), PAWL_OK);
  pawl_tune_prior_use(prior, &search);
  while (count < limit &&
         (search.best == PAWL_NO_CONFIGURATION || search.values[search.best] > record->best)) {
    const size_t index = pawl_search_next(&search);
    pawl_search_tell(&search, index, record->times[index]);
    count++;
  }
  pawl_search_release(&search);
  return count;
}

/* The times of an earlier search as they are after a change of the code: the bottom lies elsewhere,
   not far away. A model that learns from all of them finds it sooner than a search does that has
   only the bottom. A prior that is upside down is left soon enough for the optimum to be found all
   the same. */
static void test_transfer(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record, earlier, reverse;
  struct pawl_tune_prior known, best, wrong;
  struct pawl_error err = {0};
  size_t with = 0, without = 0;
  make_record(&arena, &record);
  make_record(&arena, &earlier);
  make_record(&arena, &reverse);
  for (size_t i = 0; i < CONFIGURATIONS; i++) {
    const uint16_t *at = pawl_space_at(&record.space, i);
    earlier.times[i] = 3 * time_at((const uint16_t[]){at[0], (uint16_t)(at[1] + 2), at[2]});
    reverse.times[i] = 1 / record.times[i];
  }
  assert_int_equal(pawl_tune_prior(&earlier, "old.json", &record.space, NULL, &arena, &known, &err),
                   PAWL_OK);
  assert_int_equal(pawl_tune_prior(&reverse, "old.json", &record.space, NULL, &arena, &wrong, &err),
                   PAWL_OK);
  best = known;
  best.known_count = 0;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    with += needed(&record, &known, seed, 100);
    without += needed(&record, &best, seed, 100);
    assert_true(needed(&record, &wrong, seed, 100) < 100);
  }
  assert_true(with < without);
  pawl_arena_clear(&arena);
}

/* If A alone decides the time, A explains all of it. The best value of A is the bottom of the
   bowl. */
static void test_insight(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_record record;
  struct pawl_tune_candidate candidates[60];
  struct pawl_tune_insight insight;
  struct pawl_random random = pawl_random_init(4, 0);
  make_record(&arena, &record);
  for (size_t i = 0; i < 60; i++) {
    const size_t index = pawl_random_below(&random, CONFIGURATIONS);
    const double a = pawl_space_at(&record.space, index)[0];
    candidates[i] = (struct pawl_tune_candidate){
        .index = index, .median_ms = 1 + 0.05 * (a - 5) * (a - 5), .base_ms = 2, .checked = true};
  }
  const struct pawl_tune tune = {.space = &record.space, .candidates = candidates, .count = 60};
  pawl_tune_learn(&tune, &arena, &insight);
  assert_int_equal(insight.count, 3);
  assert_int_equal(insight.effects[0].axis, 0);
  assert_true(insight.effects[0].share > 0.9 && insight.effects[1].share < 0.05);
  assert_int_equal(insight.effects[0].best, 5);
  assert_true(fabs(insight.effects[0].ratio - 2.8) < 0.3);
  for (size_t i = 0; i < 60; i++)
    candidates[i].checked = pawl_space_at(&record.space, candidates[i].index)[0] != 5;
  pawl_tune_learn(&tune, &arena,
                  &insight); /* nobody compared an output with A = 5: it is not called the best */
  assert_int_equal(insight.effects[0].axis, 0);
  assert_true(insight.effects[0].best == 4 || insight.effects[0].best == 6);
  const struct pawl_tune few = {.space = &record.space, .candidates = candidates, .count = 3};
  pawl_tune_learn(&few, &arena, &insight);
  assert_int_equal(insight.count, 0);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_better_than_chance),
                                     cmocka_unit_test(test_every_strategy_tries_all_once),
                                     cmocka_unit_test(test_batches),
                                     cmocka_unit_test(test_first_batch),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_all_fail),
                                     cmocka_unit_test(test_seed),
                                     cmocka_unit_test(test_conclusions),
                                     cmocka_unit_test(test_who_may_be_better_than_no_answer),
                                     cmocka_unit_test(test_confirmed),
                                     cmocka_unit_test(test_insight),
                                     cmocka_unit_test(test_prior),
                                     cmocka_unit_test(test_transfer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
