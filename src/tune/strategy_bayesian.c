/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian optimisation: the process learns the logarithm of time from what worked; whether a configuration works at
   all is estimated apart, so that failures need no invented times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tune/gaussian.h"
#include "tune/search.h"

#define FIRST_POINTS 12u   /* tried by chance before the process has a say */
#define FIT_EVERY 6u       /* answers between two fits of lengths and noise */
#define POOL 800u          /* configurations that are weighed for one question */
#define NEIGHBOURS 200u    /* of them, at most: one or two axes away from the best */
#define SHARE_OF_BEST 0.75 /* of the points learnt from, where there are more than fit: the fastest */

struct model {
  bool *ordinal;
  double *lengths;
  double noise;
  size_t fitted; /* answers when it was fitted last */
};

static void *start(const struct pawl_search *search) {
  const struct pawl_space *space = search->space;
  struct model *model = pawl_alloc(1, sizeof *model);
  model->ordinal = pawl_alloc(space->axis_count, sizeof *model->ordinal);
  model->lengths = pawl_alloc(space->axis_count, sizeof *model->lengths);
  model->noise = 0.01;
  for (size_t i = 0; i < space->axis_count; i++) {
    model->ordinal[i] = space->axes[i].ordinal;
    model->lengths[i] = 0.5;
  }
  return model;
}

static void end(void *state) {
  struct model *model = state;
  pawl_free(model->ordinal);
  pawl_free(model->lengths);
  pawl_free(model);
}

/* Ordinal axes by index, from 0 to 1; others by index, whose differences mean nothing. */
static void place(const struct pawl_space *space, size_t index, double *out) {
  const uint16_t *at = pawl_space_at(space, index);
  for (size_t i = 0; i < space->axis_count; i++) {
    const size_t last = space->axes[i].count - 1;
    out[i] = space->axes[i].ordinal && last ? (double)at[i] / (double)last : (double)at[i];
  }
}

struct learnt {
  size_t index;
  double value;
};

static int by_value(const void *a, const void *b) {
  const struct learnt *left = a, *right = b;
  if (left->value != right->value) return left->value < right->value ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

/* What worked; of too many the fastest, and every so-manieth of the rest. Returns how many. */
static size_t choose_points(const struct pawl_search *search, struct learnt *out) {
  size_t count = 0;
  for (size_t i = 0; i < search->tried_count; i++) {
    const double value = search->values[search->tried[i]];
    if (isfinite(value)) out[count++] = (struct learnt){search->tried[i], log(value)};
  }
  if (count <= PAWL_GAUSSIAN_MOST_POINTS) return count;
  const size_t best = (size_t)(SHARE_OF_BEST * PAWL_GAUSSIAN_MOST_POINTS);
  const size_t others = PAWL_GAUSSIAN_MOST_POINTS - best;
  qsort(out, count, sizeof *out, by_value);
  for (size_t i = 0; i < others; i++) out[best + i] = out[best + i * (count - best) / others];
  return PAWL_GAUSSIAN_MOST_POINTS;
}

/* Conditions the process on what is known; fits it now and then. False: there is too little. */
static bool learn(struct pawl_search *search, struct model *model, struct pawl_gaussian *process) {
  const size_t axes = search->space->axis_count;
  struct learnt *learnt = pawl_alloc(search->tried_count + 1, sizeof *learnt);
  const size_t count = choose_points(search, learnt);
  double *points = pawl_alloc(count * axes + 1, sizeof *points), *values = pawl_alloc(count + 1, sizeof *values);
  for (size_t i = 0; i < count; i++) {
    place(search->space, learnt[i].index, &points[i * axes]);
    values[i] = learnt[i].value;
  }
  pawl_gaussian_init(process, points, values, count, model->ordinal, axes);
  memcpy(process->lengths, model->lengths, axes * sizeof *model->lengths);
  process->noise = model->noise;
  bool good = count >= 3;
  if (good && search->tried_count >= model->fitted + FIT_EVERY) {
    good = pawl_gaussian_fit(process);
    model->fitted = search->tried_count;
    memcpy(model->lengths, process->lengths, axes * sizeof *model->lengths);
    model->noise = process->noise;
  } else if (good) {
    good = pawl_gaussian_condition(process);
  }
  pawl_free(learnt);
  pawl_free(points);
  pawl_free(values);
  return good;
}

/* Configurations near the best, then any: none tried; some may be there twice. */
static size_t fill_pool(struct pawl_search *search, size_t *pool) {
  const struct pawl_space *space = search->space;
  size_t count = 0;
  for (size_t i = 0; i < NEIGHBOURS && search->best != PAWL_NO_CONFIGURATION; i++) {
    uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
    memcpy(at, pawl_space_at(space, search->best), space->axis_count * sizeof *at);
    for (unsigned changes = 1 + i % 2; changes > 0; changes--) {
      const size_t axis = pawl_random_below(&search->random, (uint32_t)space->axis_count);
      at[axis] = (uint16_t)pawl_random_below(&search->random, (uint32_t)space->axes[axis].count);
    }
    const size_t index = pawl_space_find(space, at);
    if (index != PAWL_NO_CONFIGURATION && !pawl_search_is_tried(search, index)) pool[count++] = index;
  }
  if (space->count <= POOL) {
    count = 0;
    for (size_t i = 0; i < space->count; i++) {
      if (!pawl_search_is_tried(search, i)) pool[count++] = i;
    }
    return count;
  }
  for (size_t tries = 0; count < POOL && tries < 20 * POOL; tries++) {
    const size_t index = pawl_random_below(&search->random, (uint32_t)space->count);
    if (!pawl_search_is_tried(search, index)) pool[count++] = index;
  }
  return count;
}

/* The chance that a configuration works, from those near it: a kernel estimate that starts from "yes". */
static double chance_to_work(const struct pawl_gaussian *process, const double *point, double *failures,
                             size_t failure_count, double *scratch) {
  double working = 1, failing = 0;
  if (!failure_count) return 1;
  struct pawl_gaussian failed = *process;
  failed.points = failures;
  failed.count = failure_count;
  pawl_gaussian_similarity(&failed, point, scratch);
  for (size_t i = 0; i < failure_count; i++) failing += scratch[i];
  pawl_gaussian_similarity(process, point, scratch);
  for (size_t i = 0; i < process->count; i++) working += scratch[i];
  return working / (working + failing);
}

static size_t most_promising(struct pawl_search *search, const struct pawl_gaussian *process, const size_t *pool,
                             size_t count) {
  const size_t axes = search->space->axis_count;
  double *failures = pawl_alloc(search->tried_count * axes + 1, sizeof *failures);
  double *scratch = pawl_alloc(search->tried_count + process->count + 1, sizeof *scratch);
  double point[PAWL_TUNE_MOST_DIMENSIONS], best_promise = -1;
  const double best = log(search->values[search->best]);
  size_t failure_count = 0, chosen = pool[0];
  for (size_t i = 0; i < search->tried_count; i++) {
    if (isinf(search->values[search->tried[i]]))
      place(search->space, search->tried[i], &failures[failure_count++ * axes]);
  }
  for (size_t i = 0; i < count; i++) {
    double mean, deviation;
    place(search->space, pool[i], point);
    pawl_gaussian_predict(process, point, &mean, &deviation);
    const double promise = pawl_expected_improvement(best, mean, deviation) *
                           chance_to_work(process, point, failures, failure_count, scratch);
    if (!(promise > best_promise)) continue;
    best_promise = promise;
    chosen = pool[i];
  }
  pawl_free(failures);
  pawl_free(scratch);
  return chosen;
}

static size_t next(struct pawl_search *search, void *state) {
  if (search->tried_count < FIRST_POINTS || search->best == PAWL_NO_CONFIGURATION) return pawl_search_draw(search);
  struct pawl_gaussian process;
  size_t *pool = pawl_alloc(POOL + NEIGHBOURS, sizeof *pool), count = 0, chosen = PAWL_NO_CONFIGURATION;
  if (learn(search, state, &process)) count = fill_pool(search, pool);
  if (count) chosen = most_promising(search, &process, pool, count);
  pawl_gaussian_release(&process);
  pawl_free(pool);
  return chosen != PAWL_NO_CONFIGURATION ? chosen : pawl_search_draw(search);
}

const struct pawl_strategy pawl_strategy_bayesian = {"bayesian", "expected improvement under a Gaussian process", start,
                                                     next, end};
