/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussian process and the surrogate against an independent computation: Gauss' elimination of
   the full covariance in Python, with the same priors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/gaussian.h"
#include "tune/prediction.h"
#include "tune/surrogate.h"

#define A_VALUES 4
#define B_VALUES 2
#define C_VALUES 3
#define CONFIGURATIONS (A_VALUES * B_VALUES * C_VALUES)
#define UNEVEN 0.3 /* the weight of a promise where A is no power of two */

/* A is log2 with derived columns, B is linear, C has words. */
static void make_space(struct pawl_arena *arena, struct pawl_space *space) {
  static const char *const words[3][4] = {{"16", "32", "48", "64"}, {"0", "1"}, {"a", "b", "c"}};
  static const size_t counts[] = {A_VALUES, B_VALUES, C_VALUES};
  static const char *const names[] = {"A", "B", "C"};
  struct pawl_tune_axis *axes = pawl_arena_alloc(arena, 3, sizeof *axes);
  uint16_t all[CONFIGURATIONS][3];
  struct pawl_error err = {0};
  for (size_t i = 0; i < 3; i++) {
    axes[i] = (struct pawl_tune_axis){.name = names[i], .count = counts[i], .ordinal = i < 2};
    axes[i].values = pawl_arena_alloc(arena, counts[i], sizeof *axes[i].values);
    for (size_t j = 0; j < counts[i]; j++) axes[i].values[j] = pawl_tune_value_of(words[i][j]);
  }
  for (uint16_t i = 0; i < CONFIGURATIONS; i++) {
    all[i][0] = i / (B_VALUES * C_VALUES);
    all[i][1] = i / C_VALUES % B_VALUES;
    all[i][2] = i % C_VALUES;
  }
  assert_int_equal(pawl_space_of_list(space, axes, 3, &all[0][0], CONFIGURATIONS, arena, &err),
                   PAWL_OK);
}

static size_t index_of(const struct pawl_space *space, uint16_t a, uint16_t b, uint16_t c) {
  return pawl_space_find(space, (const uint16_t[]){a, b, c});
}

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.12f is not %.12f", value, expected);
}

static void test_columns(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_features features;
  make_space(&arena, &space);
  pawl_features_init(&features, &space);
  assert_int_equal(features.axis_count, 3);
  assert_int_equal(features.axes[0].column_count, 3);
  assert_int_equal(features.axes[1].column_count, 1);
  assert_true(features.axes[2].columns[0].word);
  near((double)features.axes[0].columns[0].place[1], 0.5, 1e-6); /* log2(32 / 16) / 2 */
  near((double)features.axes[0].columns[1].place[2], 0, 0);      /* 48 is no power of two */
  near((double)features.axes[0].columns[2].place[2], 4 / 6.,
       1e-6); /* and has 4 trailing zero bits of at most 6 */
  uint8_t levels[3];
  pawl_features_levels(&features, index_of(&space, 2, 1, 0), levels);
  near(pawl_features_round(&features, levels), 0, 0);
  pawl_features_release(&features);
  pawl_arena_clear(&arena);
}

static void test_posterior(void **state) {
  (void)state;
  static const uint8_t points[][3] = {{0, 0, 0}, {3, 1, 1}, {2, 0, 2}, {1, 1, 0}, {2, 1, 1}};
  static const double values[] = {.1, .5, .9, .2, .4};
  const struct pawl_gaussian_shape shape = {
      .inverse_lengths = {{2, 1.5, 0.7}, {0.8}, {1.2}}, .noise = 2e-3, .additive = 0.25};
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_features features;
  struct pawl_gaussian_shape fitted;
  make_space(&arena, &space);
  pawl_features_init(&features, &space);
  pawl_gaussian_start(&features, &fitted);
  near(pawl_gaussian_posterior(&features, &shape, points[0], values, 5), -0.706249901, 1e-5);
  near(pawl_gaussian_posterior(&features, &fitted, points[0], values, 5), 2.969940947, 1e-5);
  pawl_gaussian_fit(&features, points[0], values, 5, 1, &fitted);
  assert_true(pawl_gaussian_posterior(&features, &fitted, points[0], values, 5) >
              2.969940947 + 0.1);
  pawl_features_release(&features);
  pawl_arena_clear(&arena);
}

/* An axis that says nothing gets a longer length than one that says all. */
static void test_fit_finds_the_axis(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_features features;
  struct pawl_gaussian_shape shape;
  uint8_t points[CONFIGURATIONS][3];
  double values[CONFIGURATIONS];
  make_space(&arena, &space);
  pawl_features_init(&features, &space);
  for (size_t i = 0; i < CONFIGURATIONS; i++) {
    pawl_features_levels(&features, i, points[i]);
    values[i] = sin(2.5 * points[i][0]);
  }
  pawl_gaussian_start(&features, &shape);
  pawl_gaussian_fit(&features, points[0], values, CONFIGURATIONS, 8, &shape);
  assert_true(shape.inverse_lengths[0][0] > 3 * shape.inverse_lengths[1][0]);
  assert_true(shape.inverse_lengths[0][0] > 3 * shape.inverse_lengths[2][0]);
  pawl_features_release(&features);
  pawl_arena_clear(&arena);
}

struct believed {
  uint16_t at[3];
  double mean, deviation;
};

static void expect(const struct pawl_surrogate *surrogate, const struct pawl_space *space,
                   const struct believed *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double mean = NAN, deviation = NAN;
    assert_true(
        pawl_surrogate_predict(surrogate, pawl_space_find(space, rows[i].at), &mean, &deviation));
    near(mean, rows[i].mean, 2e-5);
    near(deviation, rows[i].deviation, 1e-4);
  }
}

/* The effects of the questions that are held. */
struct beside {
  double distances[CONFIGURATIONS]; /* by how much a promise counts */
};

/* The promise of a configuration. Where A is no power of two, `uneven` is its weight. `beside`
   may be NULL. */
static double promise_of(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                         size_t index, double uneven, const struct beside *beside) {
  double mean, deviation;
  assert_true(pawl_surrogate_predict(surrogate, index, &mean, &deviation));
  return pawl_expected_improvement(0, mean, deviation) *
         (pawl_space_at(search->space, index)[0] == 2 ? uneven : 1) *
         (beside ? beside->distances[index] : 1);
}

/* The one that promises most, by asking for each. */
static size_t brute_force(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                          double uneven, const struct beside *beside) {
  size_t chosen = PAWL_NO_CONFIGURATION;
  double largest = -1;
  for (size_t i = 0; i < search->space->count; i++) {
    const double promise = promise_of(surrogate, search, i, uneven, beside);
    if (!pawl_search_is_open(search, i) || !(promise > largest)) continue;
    largest = promise;
    chosen = i;
  }
  return chosen;
}

/* If two configurations promise the same, rounding chooses. */
static void require_most(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                         size_t chosen, const struct beside *beside) {
  const size_t most = brute_force(surrogate, search, UNEVEN, beside);
  const double promise = promise_of(surrogate, search, most, UNEVEN, beside);
  assert_true(pawl_search_is_open(search, chosen));
  near(promise_of(surrogate, search, chosen, UNEVEN, beside), promise, 1e-9 * promise);
}

static void test_choice(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_error err = {0};
  make_space(&arena, &space);
  assert_int_equal(pawl_search_init(&search, &space, "random", 1, &err), PAWL_OK);
  struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_SEARCH);
  const size_t first = index_of(&space, 0, 0, 0);
  pawl_search_tell(&search, first, 1.0);
  pawl_search_tell(&search, index_of(&space, 3, 1, 1), 0.9);
  size_t told = 2;
  for (size_t chosen = first; chosen != PAWL_NO_CONFIGURATION; told++) {
    pawl_surrogate_learn(surrogate, &search);
    chosen = pawl_surrogate_best(surrogate, &search);
    assert_int_equal(chosen, brute_force(surrogate, &search, UNEVEN, NULL));
    if (chosen != PAWL_NO_CONFIGURATION)
      pawl_search_tell(&search, chosen, 1.0 + 0.1 * (double)(chosen % 5));
  }
  assert_int_equal(told - 1, CONFIGURATIONS);
  pawl_surrogate_free(surrogate);
  pawl_search_release(&search);
  pawl_arena_clear(&arena);
}

/* After any results the choice is the promise's, with the preference for round numbers, which some
 * of these decides. */
static void test_choice_is_round(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_error err = {0};
  size_t decided = 0;
  make_space(&arena, &space);
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct pawl_search search;
    assert_int_equal(pawl_search_init(&search, &space, "random", seed, &err), PAWL_OK);
    struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_SEARCH);
    for (size_t i = 0; i < 6; i++)
      pawl_search_tell(&search, pawl_search_draw(&search), 1 + pawl_random_double(&search.random));
    pawl_surrogate_learn(surrogate, &search);
    assert_int_equal(pawl_surrogate_best(surrogate, &search),
                     brute_force(surrogate, &search, UNEVEN, NULL));
    decided +=
        brute_force(surrogate, &search, 1, NULL) != brute_force(surrogate, &search, UNEVEN, NULL);
    pawl_surrogate_free(surrogate);
    pawl_search_release(&search);
  }
  assert_true(decided > 0);
  pawl_arena_clear(&arena);
}

/* The product of the square roots of 1 - correlation with each held configuration, of the shape
 * before any fit. */
static void measure_distances(const struct pawl_search *search, double *out) {
  struct pawl_features features;
  struct pawl_gaussian_tables tables;
  struct pawl_gaussian_shape shape;
  uint8_t here[3], there[3];
  pawl_features_init(&features, search->space);
  pawl_gaussian_start(&features, &shape);
  pawl_gaussian_tables_init(&tables, &features);
  pawl_gaussian_tables_fill(&tables, &features, &shape);
  for (size_t i = 0; i < search->space->count; i++) {
    out[i] = 1;
    pawl_features_levels(&features, i, here);
    for (size_t j = 0; j < search->held_count; j++) {
      pawl_features_levels(&features, search->held[j], there);
      out[i] *=
          pow(fmax(1 - pawl_gaussian_correlation(&tables, &features, &shape, here, there), 0), 0.5);
    }
  }
  pawl_gaussian_tables_release(&tables);
  pawl_features_release(&features);
}

/* Chooses as if there were `results` results. */
static size_t choose_with(const struct pawl_surrogate *surrogate, struct pawl_search *search,
                          size_t results, const struct beside *beside) {
  const size_t really = search->tried_count;
  search->tried_count = results;
  const size_t chosen = pawl_surrogate_best(surrogate, search);
  require_most(surrogate, search, chosen, beside);
  search->tried_count = really;
  return chosen;
}

/* Questions that wait keep the next ones away until 30 results are in. decided: how many choices
   this changes. Three results are too few for a fit, so the shape is known. */
static void choose_beside_held(const struct pawl_space *space, uint64_t seed, size_t *decided) {
  struct pawl_search search;
  struct pawl_error err = {0};
  struct beside beside = {0};
  assert_int_equal(pawl_search_init(&search, space, "random", seed, &err), PAWL_OK);
  struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_SEARCH);
  for (size_t i = 0; i < 3; i++)
    pawl_search_tell(&search, pawl_search_draw(&search), 1 + pawl_random_double(&search.random));
  for (size_t i = 0; i < 12; i++) {
    pawl_surrogate_learn(surrogate, &search);
    measure_distances(&search, beside.distances);
    const size_t chosen =
        choose_with(surrogate, &search, i % 2 ? 9 : 8, &beside); /* not to learn */
    const size_t last = choose_with(surrogate, &search, 29, &beside);
    const size_t near_by = choose_with(surrogate, &search, 30, NULL);
    *decided += last != near_by;
    pawl_search_hold(&search, chosen);
  }
  pawl_surrogate_free(surrogate);
  pawl_search_release(&search);
}

static void test_choice_beside_held(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  size_t decided = 0;
  make_space(&arena, &space);
  for (uint64_t seed = 1; seed <= 40; seed++) choose_beside_held(&space, seed, &decided);
  assert_true(decided > 0);
  pawl_arena_clear(&arena);
}

/* The doubt about the promising places that is left after the second of two questions. The
   search asks it as if there were `results` results. */
static double left_after(const struct pawl_space *space, uint64_t seed, size_t results) {
  struct pawl_search search;
  struct pawl_error err = {0};
  double mean, deviation, left = 0;
  assert_int_equal(pawl_search_init(&search, space, "random", seed, &err), PAWL_OK);
  struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_SEARCH);
  double *weights = calloc(space->count, sizeof *weights);
  for (size_t i = 0; i < 3; i++)
    pawl_search_tell(&search, pawl_search_draw(&search), 1 + pawl_random_double(&search.random));
  pawl_surrogate_learn(surrogate, &search);
  pawl_search_hold(&search, pawl_surrogate_best(surrogate, &search));
  pawl_surrogate_learn(surrogate, &search);
  for (size_t i = 0; i < space->count; i++) {
    if (!pawl_search_is_open(&search, i) ||
        !pawl_surrogate_predict(surrogate, i, &mean, &deviation))
      continue;
    weights[i] = pawl_expected_improvement(0, mean, deviation);
  }
  search.tried_count = results;
  const size_t chosen = pawl_surrogate_best(surrogate, &search);
  search.tried_count = 3;
  pawl_search_hold(&search, chosen);
  pawl_surrogate_learn(surrogate, &search);
  for (size_t i = 0; i < space->count; i++)
    if (pawl_surrogate_predict(surrogate, i, &mean, &deviation))
      left += weights[i] * deviation * deviation;
  free(weights);
  pawl_surrogate_free(surrogate);
  pawl_search_release(&search);
  return left;
}

/* Below ten results each second question beside others teaches more about the promising places than
   the most promising one itself does. */
static void test_choice_to_learn(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  size_t better = 0, worse = 0;
  make_space(&arena, &space);
  for (uint64_t seed = 1; seed <= 40; seed++) {
    const double learns = left_after(&space, seed, 8), hopes = left_after(&space, seed, 9);
    better += learns < hopes * (1 - 1e-6);
    worse += learns > hopes * (1 + 1e-6);
  }
  assert_true(better >= 15); /* in such a small space both are often the same */
  assert_true(worse <= 2);
  pawl_arena_clear(&arena);
}

static void test_first_points(void **state) {
  (void)state;
  struct pawl_tune_axis axes[11];
  struct pawl_space space = {.axes = axes};
  static const size_t points[] = {2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 4};
  for (size_t i = 0; i < 11; i++) {
    axes[i] = (struct pawl_tune_axis){.count = i ? 2 : 1}; /* the first leaves no choice */
    space.axis_count = i + 1;
    assert_int_equal(pawl_surrogate_first_points(&space), points[i]);
  }
}

/* Row by row it says what the full covariance says; what is held changes no mean; what failed
 * leaves no trace. */
static void learn(enum pawl_response response, const struct believed *rows, size_t count) {
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_search search;
  struct pawl_error err = {0};
  make_space(&arena, &space);
  assert_int_equal(pawl_search_init(&search, &space, "random", 1, &err), PAWL_OK);
  struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, response);
  pawl_search_tell(&search, index_of(&space, 0, 0, 0), 1.0);
  pawl_search_tell(&search, index_of(&space, 3, 1, 1), 1.5);
  pawl_surrogate_learn(surrogate, &search);
  double before, after, wide, narrow;
  const size_t held = index_of(&space, 1, 1, 2), beside = index_of(&space, 1, 1, 1);
  assert_true(pawl_surrogate_predict(surrogate, beside, &before, &wide));
  pawl_search_hold(&search, held);
  pawl_surrogate_learn(surrogate, &search);
  assert_true(pawl_surrogate_predict(surrogate, beside, &after, &narrow));
  near(after, before, 1e-6);
  assert_true(narrow < 0.99 * wide);
  pawl_search_tell(&search, index_of(&space, 2, 0, 2), 2.5);
  pawl_surrogate_learn(surrogate, &search);
  pawl_search_tell(&search, held, NAN);
  pawl_surrogate_learn(surrogate, &search);
  expect(surrogate, &space, rows, count);
  assert_true(pawl_surrogate_best(surrogate, &search) != PAWL_NO_CONFIGURATION);
  pawl_surrogate_free(surrogate);
  pawl_search_release(&search);
  pawl_arena_clear(&arena);
}

static void test_surrogate(void **state) {
  (void)state;
  static const struct believed searched[] = {{{1, 0, 0}, 0.113442371, 0.137386950},
                                             {{3, 1, 2}, 0.390956367, 0.199056202},
                                             {{0, 0, 0}, 0.000304166, 0.008510392}};
  static const struct believed log_times[] = {{{1, 0, 0}, 0.219895997, 0.221152486},
                                              {{3, 1, 2}, 0.708054233, 0.320421802},
                                              {{0, 0, 0}, 0.000583751, 0.013699222}};
  learn(PAWL_RESPONSE_SEARCH, searched, sizeof searched / sizeof *searched);
  learn(PAWL_RESPONSE_LOG_TIME, log_times, sizeof log_times / sizeof *log_times);
}

/* The standard normal value below which the probability is p. */
static double quantile(double p) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;
    if (erfc(-middle / sqrt(2)) / 2 < p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The response of what was told, in the order it was told. */
static void respond(const struct pawl_search *search, double *out) {
  const double count = (double)search->tried_count;
  for (size_t i = 0; i < search->tried_count; i++) {
    const double own = search->values[search->tried[i]];
    double faster = 0;
    for (size_t j = 0; j < search->tried_count; j++)
      faster += search->values[search->tried[j]] < own;
    const double score = 0.35 * (quantile((faster + 0.5) / count) - quantile(0.5 / count));
    const double mixed = (score + log(1 + log(own / search->values[search->best]))) / 2;
    out[i] = 0.8 * (1 - exp(-mixed / 0.8));
  }
}

/* After `results` results and one fit, the belief about every configuration is the fit's. With
   29 results or fewer it is the mixture of the fit and the prior. */
static void require_mixture(const struct pawl_space *space, size_t results) {
  struct pawl_search search;
  struct pawl_prediction_pool pool;
  struct pawl_prediction fitted, unfitted;
  struct pawl_error err = {0};
  double values[CONFIGURATIONS * 2];
  uint8_t levels[CONFIGURATIONS * 2][3];
  assert_int_equal(pawl_search_init(&search, space, "random", 1, &err), PAWL_OK);
  struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_SEARCH);
  for (size_t i = 0; i < results; i++)
    pawl_search_tell(&search, pawl_search_draw(&search), 1 + pawl_random_double(&search.random));
  pawl_surrogate_learn(surrogate, &search);
  respond(&search, values);
  pawl_prediction_pool_init(&pool, space, space->count);
  for (uint32_t i = 0; i < space->count; i++) pool.indices[pool.count++] = i;
  pawl_prediction_pool_encode(&pool);
  for (size_t i = 0; i < results; i++)
    pawl_features_levels(&pool.features, search.tried[i], levels[i]);
  pawl_prediction_init(&unfitted, &pool);
  pawl_prediction_init(&fitted, &pool);
  struct pawl_gaussian_shape shape = unfitted.shape;
  pawl_gaussian_fit(&pool.features, levels[0], values, results, 1, &shape);
  pawl_prediction_reset(&fitted, &shape);
  pawl_prediction_add(&fitted, search.tried, results);
  pawl_prediction_update(&fitted, values);
  pawl_prediction_add(&unfitted, search.tried, results);
  pawl_prediction_update(&unfitted, values);
  const double part = results < 30 ? 0.5 : 1;
  for (size_t i = 0; i < space->count; i++) {
    const double a = (double)fitted.mean[i], b = (double)unfitted.mean[i],
                 mean = part * a + (1 - part) * b;
    const double variance =
        part * (pawl_prediction_variance(&fitted, i) + (a - mean) * (a - mean)) +
        (1 - part) * (pawl_prediction_variance(&unfitted, i) + (b - mean) * (b - mean));
    double found, deviation;
    assert_true(pawl_surrogate_predict(surrogate, i, &found, &deviation));
    near(found, mean, 1e-5);
    near(deviation, sqrt(variance), 1e-5);
  }
  pawl_prediction_release(&fitted);
  pawl_prediction_release(&unfitted);
  pawl_prediction_pool_release(&pool);
  pawl_surrogate_free(surrogate);
  pawl_search_release(&search);
}

static void test_few_questions(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_error err = {0};
  struct pawl_tune_axis axes[3];
  struct pawl_tune_value values[CONFIGURATIONS];
  uint16_t all[CONFIGURATIONS * 2][3];
  for (size_t i = 0; i < CONFIGURATIONS; i++)
    values[i] = pawl_tune_value_of(pawl_arena_printf(&arena, "%zu", i + 1));
  for (size_t i = 0; i < 3; i++)
    axes[i] = (struct pawl_tune_axis){"A", values, i ? 2 : CONFIGURATIONS / 2, true};
  for (uint16_t i = 0; i < CONFIGURATIONS * 2; i++)
    all[i][0] = i / 4, all[i][1] = i / 2 % 2, all[i][2] = i % 2;
  assert_int_equal(
      pawl_space_of_list(&space, axes, 3, &all[0][0], CONFIGURATIONS * 2, &arena, &err), PAWL_OK);
  require_mixture(&space, 8);
  require_mixture(&space, 29);
  require_mixture(&space, 30);
  pawl_arena_clear(&arena);
}

/* Axes that share a code, and one that does not fit beside them. */
static void test_pool(void **state) {
  (void)state;
  enum { LEVELS = 12, COUNT = 50 };
  struct pawl_arena arena = {0};
  struct pawl_tune_axis axes[3];
  struct pawl_space space;
  struct pawl_prediction_pool pool;
  struct pawl_gaussian_tables tables;
  struct pawl_gaussian_shape shape;
  struct pawl_error err = {0};
  struct pawl_tune_value values[LEVELS];
  uint16_t all[COUNT][3];
  float product[COUNT], sum[COUNT];
  for (size_t i = 0; i < LEVELS; i++)
    values[i] = pawl_tune_value_of(pawl_arena_printf(&arena, "%zu", i));
  for (size_t i = 0; i < 3; i++) axes[i] = (struct pawl_tune_axis){"A", values, LEVELS, true};
  for (uint16_t i = 0; i < COUNT; i++)
    all[i][0] = i % LEVELS, all[i][1] = i / LEVELS, all[i][2] = i % 5;
  assert_int_equal(pawl_space_of_list(&space, axes, 3, &all[0][0], COUNT, &arena, &err), PAWL_OK);
  pawl_prediction_pool_init(&pool, &space, COUNT);
  assert_int_equal(pool.group_count, 2);
  for (uint32_t i = 0; i < COUNT; i++) pool.indices[pool.count++] = i;
  pawl_prediction_pool_encode(&pool);
  pawl_gaussian_start(&pool.features, &shape);
  pawl_gaussian_tables_init(&tables, &pool.features);
  pawl_gaussian_tables_fill(&tables, &pool.features, &shape);
  uint8_t point[3], other[3];
  pawl_features_levels(&pool.features, 7, point);
  pawl_prediction_pool_correlate(&pool, &tables, point, product, sum);
  for (size_t i = 0; i < COUNT; i++) {
    pawl_features_levels(&pool.features, i, other);
    shape.additive = 0;
    near((double)product[i],
         pawl_gaussian_correlation(&tables, &pool.features, &shape, point, other), 1e-6);
    shape.additive = 1;
    near((double)sum[i] / 3,
         pawl_gaussian_correlation(&tables, &pool.features, &shape, point, other), 1e-6);
  }
  pawl_gaussian_tables_release(&tables);
  pawl_prediction_pool_release(&pool);
  pawl_arena_clear(&arena);
}

static void test_expected_improvement(void **state) {
  (void)state;
  near(pawl_expected_improvement(1, 0.75, 0), 0.25, 0);
  near(pawl_expected_improvement(1, 2, 0), 0, 0);
  near(pawl_expected_improvement(0.6, 0.709245751274, 0.217869608410), 0.0429979977654,
       1e-12); /* scipy */
  assert_true(pawl_expected_improvement(1, 50, 0.1) >= 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns),
                                     cmocka_unit_test(test_posterior),
                                     cmocka_unit_test(test_fit_finds_the_axis),
                                     cmocka_unit_test(test_surrogate),
                                     cmocka_unit_test(test_choice),
                                     cmocka_unit_test(test_choice_is_round),
                                     cmocka_unit_test(test_choice_beside_held),
                                     cmocka_unit_test(test_choice_to_learn),
                                     cmocka_unit_test(test_first_points),
                                     cmocka_unit_test(test_few_questions),
                                     cmocka_unit_test(test_pool),
                                     cmocka_unit_test(test_expected_improvement)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
