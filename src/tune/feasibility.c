/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/feasibility.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* while failures are few: the length over which a failure predicts its neighbours' failure */
#define NEAR_LENGTH 0.35
/* the weight of the prior belief that a configuration works, in tried configurations */
#define NEAR_PRIOR 0.3
#define REGIONAL_PRIOR 3.0 /* the prior log odds that failures cluster */
/* the last tried configurations that decide whether failures cluster */
#define MOST_JUDGED 200u
#define FEW_FAILURES 5u /* with fewer failures, a process of failures would fit noise */
#define LEAST_FITTED 4u /* tried configurations before its first fit */
/* the weight of the belief that distant configurations work, in independent points */
#define WORKS_WEIGHT 5.0
/* the variance of the threshold between 0 and 1 at which a configuration fails */
#define EDGE_VARIANCE 0.02

/* The correlation of near configurations is the product over the axes alone. */
static const struct pawl_gaussian_shape nearness_shape = {.additive = 0};

static bool works(const struct pawl_search *search, size_t index) {
  return !pawl_search_has_failed(search, index);
}

static size_t count_failures(const struct pawl_search *search) {
  size_t count = 0;
  for (size_t i = 0; i < search->tried_count; i++) count += !works(search, search->tried[i]);
  return count;
}

/* --- few failures --- */

static void add_near(struct pawl_feasibility *feasibility, const struct pawl_search *search) {
  const struct pawl_prediction_pool *pool = feasibility->pool;
  for (; feasibility->added < search->tried_count; feasibility->added++) {
    const size_t index = search->tried[feasibility->added];
    uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
    float *near = feasibility->near;
    pawl_features_levels(&pool->features, index, levels);
    pawl_prediction_pool_correlate(pool, &feasibility->nearness, levels, near, feasibility->sum);
    for (size_t i = 0; i < pool->count; i++) feasibility->near_all[i] += near[i];
    if (!works(search, index)) continue;
    for (size_t i = 0; i < pool->count; i++) feasibility->near_working[i] += near[i];
  }
}

/* Decides whether failures cluster. Two models predict each configuration: one from the
   configurations near it, one from the overall share that works. Their likelihoods say which one
   to believe. If failures are anywhere, a failure predicts nothing about its neighbours, and the
   search must not avoid them. */
static void judge(struct pawl_feasibility *feasibility, const struct pawl_search *search,
                  size_t failures) {
  const struct pawl_features *features = &feasibility->pool->features;
  const size_t count = search->tried_count < MOST_JUDGED ? search->tried_count : MOST_JUDGED;
  const size_t axes = features->axis_count, *tried = &search->tried[search->tried_count - count];
  const double share =
      ((double)(search->tried_count - failures) + 1) / ((double)search->tried_count + 1);
  double near_by = 0, anywhere = 0;
  uint8_t *levels = pawl_alloc(count * axes + 1, sizeof *levels);
  for (size_t i = 0; i < count; i++) pawl_features_levels(features, tried[i], &levels[i * axes]);
  for (size_t i = 0; i < count; i++) {
    double all = NEAR_PRIOR, working = NEAR_PRIOR * share;
    for (size_t j = 0; j < count; j++) {
      if (j == i) continue;
      const double near = pawl_gaussian_correlation(
          &feasibility->nearness, features, &nearness_shape, &levels[i * axes], &levels[j * axes]);
      all += near;
      working += works(search, tried[j]) ? near : 0;
    }
    near_by += log(works(search, tried[i]) ? working / all : 1 - working / all);
    anywhere += log(works(search, tried[i]) ? share : 1 - share);
  }
  feasibility->regional = 1 / (1 + exp(fmin(anywhere - near_by - REGIONAL_PRIOR, 500)));
  pawl_free(levels);
}

static double chance_near(const struct pawl_feasibility *feasibility, size_t place) {
  const double near = ((double)feasibility->near_working[place] + NEAR_PRIOR) /
                      ((double)feasibility->near_all[place] + NEAR_PRIOR);
  return feasibility->regional * near + (1 - feasibility->regional);
}

/* --- more failures --- */

static double label(const struct pawl_search *search, size_t index) {
  return works(search, index) ? 0 : 1;
}

/* Fits the shape to the last tried configurations. */
static struct pawl_gaussian_shape fit(const struct pawl_feasibility *feasibility,
                                      const struct pawl_search *search) {
  const struct pawl_features *features = &feasibility->pool->features;
  const size_t tried = search->tried_count;
  const size_t count = tried < PAWL_GAUSSIAN_MOST_FITTED ? tried : PAWL_GAUSSIAN_MOST_FITTED;
  struct pawl_gaussian_shape shape = feasibility->failing.shape;
  uint8_t *levels = pawl_alloc(count * features->axis_count + 1, sizeof *levels);
  double values[PAWL_GAUSSIAN_MOST_FITTED];
  for (size_t i = 0; i < count; i++) {
    const size_t index = search->tried[tried - count + i];
    pawl_features_levels(features, index, &levels[i * features->axis_count]);
    values[i] = label(search, index);
  }
  if (count >= LEAST_FITTED) pawl_gaussian_fit(features, levels, values, count, 1, &shape);
  pawl_free(levels);
  return shape;
}

/* Adds tried configurations, except the oldest, and keeps room for those until the next fit. */
static void learn_failing(struct pawl_feasibility *feasibility, const struct pawl_search *search) {
  const size_t limit = pawl_prediction_rebuilt_points();
  const size_t tried = search->tried_count;
  size_t points[PAWL_PREDICTION_MOST_POINTS], count = 0;
  double values[PAWL_PREDICTION_MOST_POINTS];
  if (tried >= feasibility->fitted + pawl_prediction_fit_every(tried)) {
    const struct pawl_gaussian_shape shape = fit(feasibility, search);
    pawl_prediction_reset(&feasibility->failing, &shape);
    feasibility->fitted = tried;
  }
  for (size_t i = feasibility->fitted > limit ? feasibility->fitted - limit : 0; i < tried; i++)
    if (!pawl_prediction_has(&feasibility->failing, search->tried[i]))
      points[count++] = search->tried[i];
  pawl_prediction_add(&feasibility->failing, points, count);
  for (size_t i = 0; i < feasibility->failing.point_count; i++)
    values[i] = label(search, feasibility->failing.points[i]);
  pawl_prediction_update(&feasibility->failing, values);
}

/* Least-squares classification (Rasmussen and Williams, "Gaussian Processes for Machine
   Learning", 2006, section 6.5): the process fits labels of 1 and 0 like times, and a
   configuration works if its label is nearer to 0 than to 1. */
static double chance_by_process(const struct pawl_feasibility *feasibility, size_t place) {
  const double mean = (double)feasibility->failing.mean[place];
  const double deviation =
      sqrt(pawl_prediction_variance(&feasibility->failing, place) + EDGE_VARIANCE);
  return erfc((mean - 0.5) / (deviation * M_SQRT2)) / 2;
}

/* --- both --- */

void pawl_feasibility_learn(struct pawl_feasibility *feasibility, const struct pawl_search *search,
                            bool judges) {
  const size_t failures = count_failures(search);
  feasibility->asks_failing = failures >= FEW_FAILURES;
  if (feasibility->asks_failing) {
    learn_failing(feasibility, search);
    return;
  }
  if (judges && failures) judge(feasibility, search, failures);
  add_near(feasibility, search);
}

double pawl_feasibility_at(const struct pawl_feasibility *feasibility, size_t place) {
  return feasibility->asks_failing ? chance_by_process(feasibility, place)
                                   : chance_near(feasibility, place);
}

void pawl_feasibility_forget(struct pawl_feasibility *feasibility) {
  const size_t count = feasibility->pool->count;
  memset(feasibility->near_working, 0, count * sizeof *feasibility->near_working);
  memset(feasibility->near_all, 0, count * sizeof *feasibility->near_all);
  feasibility->added = 0;
  pawl_prediction_drop(&feasibility->failing, 0);
}

void pawl_feasibility_init(struct pawl_feasibility *feasibility,
                           const struct pawl_prediction_pool *pool) {
  struct pawl_gaussian_shape near;
  *feasibility = (struct pawl_feasibility){.pool = pool, .regional = 1};
  pawl_gaussian_start(&pool->features, &near);
  for (size_t i = 0; i < pool->features.axis_count; i++)
    near.inverse_lengths[i][0] = 1 / NEAR_LENGTH;
  pawl_gaussian_tables_init(&feasibility->nearness, &pool->features);
  pawl_gaussian_tables_fill(&feasibility->nearness, &pool->features, &near);
  feasibility->near_working = pawl_alloc(pool->room, sizeof(float));
  feasibility->near_all = pawl_alloc(pool->room, sizeof(float));
  feasibility->near = pawl_alloc(pool->room, sizeof(float));
  feasibility->sum = pawl_alloc(pool->room, sizeof(float));
  pawl_prediction_init(&feasibility->failing, pool);
  feasibility->failing.flat_weight = WORKS_WEIGHT;
}

void pawl_feasibility_release(struct pawl_feasibility *feasibility) {
  pawl_gaussian_tables_release(&feasibility->nearness);
  pawl_prediction_release(&feasibility->failing);
  pawl_free(feasibility->near_working);
  pawl_free(feasibility->near_all);
  pawl_free(feasibility->near);
  pawl_free(feasibility->sum);
}
