/* SPDX-License-Identifier: Apache-2.0 */
/* The choices of `auto` beyond the expected improvement, compared with a search through all
   configurations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/gaussian.h"
#include "tune/strategy.h"
#include "tune/surrogate.h"

#define AXES 3
#define THREADS 6
#define REPETITIONS 4
#define WORDS 5
#define CONFIGURATIONS (THREADS * REPETITIONS * WORDS)
#define UNEVEN 0.3 /* the weight of a promise where no number is a power of two */

/* Threads reach 96, repetitions reach 4: both have numbers that are no powers of two. */
static void make_space(struct pawl_arena *arena, struct pawl_space *space) {
  static const char *const words[AXES][THREADS] = {
      {"16", "32", "48", "64", "80", "96"}, {"1", "2", "3", "4"}, {"a", "b", "c", "d", "e"}};
  static const size_t counts[AXES] = {THREADS, REPETITIONS, WORDS};
  static const char *const names[AXES] = {"threads", "repetitions", "word"};
  struct pawl_tune_axis *axes = pawl_arena_alloc(arena, AXES, sizeof *axes);
  uint16_t all[CONFIGURATIONS][AXES];
  struct pawl_error err = {0};
  for (size_t i = 0; i < AXES; i++) {
    axes[i] = (struct pawl_tune_axis){.name = names[i], .count = counts[i], .ordinal = i < 2};
    axes[i].values = pawl_arena_alloc(arena, counts[i], sizeof *axes[i].values);
    for (size_t j = 0; j < counts[i]; j++) axes[i].values[j] = pawl_tune_value_of(words[i][j]);
  }
  for (uint16_t i = 0; i < CONFIGURATIONS; i++) {
    all[i][0] = i / (REPETITIONS * WORDS);
    all[i][1] = i / WORDS % REPETITIONS;
    all[i][2] = i % WORDS;
  }
  assert_int_equal(pawl_space_of_list(space, axes, AXES, &all[0][0], CONFIGURATIONS, arena, &err),
                   PAWL_OK);
}

static void begin(struct pawl_search *search, const struct pawl_space *space, uint64_t seed,
                  size_t results) {
  struct pawl_error err = {0};
  assert_int_equal(pawl_search_init(search, space, "random", seed, &err), PAWL_OK);
  for (size_t i = 0; i < results; i++)
    pawl_search_tell(search, pawl_search_draw(search), 1 + pawl_random_double(&search->random));
}

/* Expected improvement, which counts between UNEVEN and all by the share of powers of two. */
static double promise_of(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                         size_t index) {
  const uint16_t *at = pawl_space_at(search->space, index);
  const double threads_round = at[0] == 0 || at[0] == 1 || at[0] == 3,
               repetitions_round = at[1] != 2;
  const double share = (threads_round + repetitions_round) / 2;
  double mean, deviation;
  assert_true(pawl_surrogate_predict(surrogate, index, &mean, &deviation));
  return pawl_expected_improvement(0, mean, deviation) * (UNEVEN + (1 - UNEVEN) * share);
}

static size_t most_promising(const struct pawl_surrogate *surrogate,
                             const struct pawl_search *search) {
  size_t chosen = PAWL_NO_CONFIGURATION;
  double largest = -1;
  for (size_t i = 0; i < CONFIGURATIONS; i++) {
    if (!pawl_search_is_open(search, i)) continue;
    const double promise = promise_of(surrogate, search, i);
    if (promise > largest) largest = promise, chosen = i;
  }
  return chosen;
}

/* Questions prefer configurations whose numbers are all round, whatever the parameter counts. */
static void test_round_numbers(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  make_space(&arena, &space);
  for (size_t results = 8; results <= 11; results++) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
      struct pawl_search search;
      begin(&search, &space, seed, results);
      struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_SEARCH);
      pawl_surrogate_learn(surrogate, &search);
      const size_t chosen = pawl_surrogate_best(surrogate, &search);
      const double most = promise_of(surrogate, &search, most_promising(surrogate, &search));
      assert_true(fabs(promise_of(surrogate, &search, chosen) - most) <= 1e-9 * most);
      pawl_surrogate_free(surrogate);
      pawl_search_release(&search);
    }
  }
  pawl_arena_clear(&arena);
}

static bool are_neighbours(const struct pawl_space *space, size_t a, size_t b) {
  size_t different = 0;
  for (size_t axis = 0; axis < AXES; axis++)
    different += pawl_space_at(space, a)[axis] != pawl_space_at(space, b)[axis];
  return different == 1;
}

static double hope_of(const struct pawl_surrogate *surrogate, size_t index) {
  double mean, deviation;
  assert_true(pawl_surrogate_predict(surrogate, index, &mean, &deviation));
  return mean - 3 * deviation;
}

/* The least that may be hoped of the open neighbours of the five best. */
static double least_hope(const struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  size_t best[5];
  double least = INFINITY;
  const size_t count = pawl_search_fastest(search, 5, best);
  for (size_t i = 0; i < CONFIGURATIONS; i++) {
    bool beside = false;
    for (size_t j = 0; j < count; j++) beside = beside || are_neighbours(search->space, i, best[j]);
    if (beside && pawl_search_is_open(search, i)) least = fmin(least, hope_of(surrogate, i));
  }
  return least;
}

/* From 60 results on three of ten questions are steps, which chance draws. */
static void test_steps(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  size_t steps = 0, questions = 0;
  make_space(&arena, &space);
  for (uint64_t seed = 1; seed <= 10; seed++) {
    struct pawl_search search;
    begin(&search, &space, seed, 55);
    void *surrogate = pawl_strategy_auto.start(&search);
    for (size_t results = 55; results < 90; results++) {
      struct pawl_random coming = search.random;
      const bool steps_now = results >= 60 && pawl_random_double(&coming) < 0.3;
      const size_t chosen = pawl_strategy_auto.next(&search, surrogate);
      assert_true(pawl_search_is_open(&search, chosen));
      if (steps_now)
        assert_true(fabs(hope_of(surrogate, chosen) - least_hope(surrogate, &search)) <= 1e-9);
      else
        assert_int_equal(chosen, pawl_surrogate_best(surrogate, &search));
      questions += results >= 60;
      steps += steps_now;
      pawl_search_tell(&search, chosen, 1 + pawl_random_double(&search.random));
    }
    pawl_strategy_auto.end(surrogate);
    pawl_search_release(&search);
  }
  assert_int_equal(questions, 300);
  assert_in_range(steps, 60, 120);
  pawl_arena_clear(&arena);
}

/* Whether the next question is drawn by chance, as the first points are; else it is the most
 * promising. */
static bool spreads(struct pawl_search *search, size_t held) {
  void *surrogate = pawl_strategy_auto.start(search);
  while (search->held_count < held) pawl_search_hold(search, pawl_search_draw(search));
  const struct pawl_random before = search->random;
  const size_t chosen = pawl_strategy_auto.next(search, surrogate);
  const bool drew = memcmp(&before, &search->random, sizeof before) != 0;
  assert_true(drew || chosen == pawl_surrogate_best(surrogate, search));
  pawl_strategy_auto.end(surrogate);
  return drew;
}

/* Two first points are spread over the space. A point that still waits for its answer is one of
   them. A point that a record guided is one too, unless all points fail. A suggestion is not. */
static void test_first_points_that_wait(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  const struct pawl_search_known known = {.index = 0, .time = 1};
  make_space(&arena, &space);
  for (size_t held = 0; held < 3; held++) {
    struct pawl_search search;
    begin(&search, &space, 1, 1);
    assert_true(spreads(&search, held) == (held == 0));
    pawl_search_release(&search);
    begin(&search, &space, 1, 1);
    pawl_search_learn_known(&search, &known, 1);
    assert_false(spreads(&search, held));
    pawl_search_release(&search);
    begin(&search, &space, 1, 2);
    pawl_search_learn_known(&search, &known, 1);
    pawl_search_suggest(&search, &known.index, 1);
    assert_true(spreads(&search, held) == (held == 0));
    pawl_search_release(&search);
    begin(&search, &space, 1, 0);
    pawl_search_learn_known(&search, &known, 1);
    for (size_t i = 0; i < 2; i++) pawl_search_tell(&search, i, NAN);
    assert_true(spreads(&search, held));
    pawl_search_release(&search);
  }
  pawl_arena_clear(&arena);
}

/* A record guides until two are tried or held, and again from the tenth answer to the fifteenth,
 * however many are held.
 */
static void test_guided_questions(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  const struct pawl_search_known known = {.index = 0, .time = 1};
  make_space(&arena, &space);
  for (size_t held = 0; held < 4; held++) {
    struct pawl_search search;
    begin(&search, &space, 1, 0);
    assert_false(pawl_surrogate_is_guided(&search));
    pawl_search_learn_known(&search, &known, 1);
    for (size_t i = 0; i < held; i++) pawl_search_hold(&search, 100 + i);
    for (size_t tried = 0; tried < 20; tried++) {
      assert_true(pawl_surrogate_is_guided(&search) ==
                  (tried + held < 2 || (tried >= 10 && tried < 15)));
      pawl_search_tell(&search, tried, 1.5);
    }
    pawl_search_release(&search);
  }
  pawl_arena_clear(&arena);
}

/* The same results after the record of a search to which the low indices were the fast ones, or the
 * high ones. */
static double predict_after(const struct pawl_space *space, bool reversed, size_t results) {
  struct pawl_search search;
  struct pawl_search_known known[20];
  double mean, deviation;
  begin(&search, space, 1, 0);
  for (size_t i = 0; i < 20; i++)
    known[i] = (struct pawl_search_known){reversed ? 39 - i : i, 1 + (double)i};
  pawl_search_learn_known(&search, known, 20);
  void *surrogate = pawl_strategy_auto.start(&search);
  for (size_t i = 0; i <= results; i++) {
    pawl_surrogate_learn(surrogate, &search);
    if (i < results) pawl_search_tell(&search, i * 7 % 41, 2 + cos((double)i));
  }
  assert_true(pawl_surrogate_predict(surrogate, 39, &mean, &deviation));
  pawl_strategy_auto.end(surrogate);
  pawl_search_release(&search);
  return mean;
}

/* A record changes what is believed only while it guides, and leaves nothing behind. */
static void test_record_comes_and_goes(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  make_space(&arena, &space);
  for (size_t results = 1; results < 20; results++) {
    const bool guides = results < 2 || (results >= 10 && results < 15);
    const double one = predict_after(&space, false, results),
                 other = predict_after(&space, true, results);
    if (guides)
      assert_true(fabs(one - other) > 0.01);
    else
      assert_true(one == other);
  }
  pawl_arena_clear(&arena);
}

#define LARGE_AXES 5
#define LARGE_VALUES 8
#define LARGE 32768 /* LARGE_VALUES ^ LARGE_AXES, more than the surrogate predicts at once */

static void make_large_space(struct pawl_arena *arena, struct pawl_space *space) {
  static const char *const words[LARGE_VALUES] = {"1", "2", "3", "4", "5", "6", "7", "8"};
  static const char *const names[LARGE_AXES] = {"a", "b", "c", "d", "e"};
  struct pawl_tune_axis *axes = pawl_arena_alloc(arena, LARGE_AXES, sizeof *axes);
  uint16_t *all = pawl_arena_alloc(arena, LARGE, LARGE_AXES * sizeof *all);
  struct pawl_error err = {0};
  for (size_t i = 0; i < LARGE_AXES; i++) {
    axes[i] = (struct pawl_tune_axis){.name = names[i], .count = LARGE_VALUES, .ordinal = true};
    axes[i].values = pawl_arena_alloc(arena, LARGE_VALUES, sizeof *axes[i].values);
    for (size_t j = 0; j < LARGE_VALUES; j++) axes[i].values[j] = pawl_tune_value_of(words[j]);
  }
  for (size_t i = 0; i < LARGE; i++)
    for (size_t axis = 0, rest = i; axis < LARGE_AXES; axis++, rest /= LARGE_VALUES)
      all[i * LARGE_AXES + axis] = (uint16_t)(rest % LARGE_VALUES);
  assert_int_equal(pawl_space_of_list(space, axes, LARGE_AXES, all, LARGE, arena, &err), PAWL_OK);
}

/* A question that waits has an expected time after each answer, also where a new best draws
   another pool of the space. */
static void test_order_in_a_large_space(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_error err = {0};
  double responses[8], time = 9;
  make_large_space(&arena, &space);
  assert_true(space.count > PAWL_SURROGATE_LARGEST_POOL);
  assert_int_equal(pawl_search_init(&search, &space, "auto", 1, &err), PAWL_OK);
  while (search.tried_count < 24) {
    while (search.held_count < 8) pawl_search_hold(&search, pawl_search_next(&search));
    pawl_search_tell(&search, search.held[0], time *= 0.9); /* a new best each time */
    const bool knows =
        search.strategy->expect(&search, search.state, search.held, search.held_count, responses);
    assert_true(knows == (search.tried_count >= 4));
  }
  pawl_search_release(&search);
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_guided_questions),       cmocka_unit_test(test_record_comes_and_goes),
      cmocka_unit_test(test_round_numbers),          cmocka_unit_test(test_steps),
      cmocka_unit_test(test_first_points_that_wait), cmocka_unit_test(test_order_in_a_large_space)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
