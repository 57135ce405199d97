/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/surrogate.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "tune/feasibility.h"
#include "tune/prediction.h"
#include "tune/surrogate_constants.h"

_Static_assert(KNOWN_POINTS <= PAWL_PREDICTION_MOST_POINTS,
               "a prediction has no room for KNOWN_POINTS results of an earlier search");

struct pawl_surrogate {
  enum pawl_response response;
  struct pawl_prediction_pool pool;
  struct pawl_prediction prediction;
  struct pawl_prediction unfitted; /* the same points with the shape of the prior */
  bool asks_both; /* few questions were asked, so the prediction is the mixture of both */
  struct pawl_feasibility feasibility;
  size_t best;   /* the best result for which the pool was made */
  size_t seen;   /* the tried configurations that were learnt */
  size_t fitted; /* the results at the last fit */
  float *round;  /* [pool.count]: the share of round numbers */
  /* the model of an earlier search, which is a trend of the response */
  struct pawl_prediction known;
  bool has_known;
  double trust; /* the slope of the results over this trend */
};

/* --- the pool --- */

static void pool_add(struct pawl_surrogate *surrogate, size_t index) {
  surrogate->pool.indices[surrogate->pool.count++] = (uint32_t)index;
}

static void add_neighbours(struct pawl_surrogate *surrogate, const struct pawl_space *space,
                           size_t index) {
  struct pawl_neighbours neighbours = pawl_space_neighbours(space, index);
  for (size_t found; (found = pawl_space_next_neighbour(&neighbours)) != PAWL_NO_CONFIGURATION;)
    if (surrogate->pool.count < surrogate->pool.room) pool_add(surrogate, found);
}

static int surrogate_by_index(const void *a, const void *b) {
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

static void mark_round(struct pawl_surrogate *surrogate) {
  for (size_t i = 0; i < surrogate->pool.count; i++) {
    uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
    pawl_features_levels(&surrogate->pool.features, surrogate->pool.indices[i], levels);
    surrogate->round[i] = (float)pawl_features_round(&surrogate->pool.features, levels);
  }
}

static void fill_pool(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  const struct pawl_space *space = search->space;
  surrogate->pool.count = 0;
  if (space->count <= PAWL_SURROGATE_LARGEST_POOL) {
    for (size_t i = 0; i < space->count; i++) pool_add(surrogate, i);
  } else {
    size_t parents[PARENTS], parent_count = pawl_search_fastest(search, PARENTS, parents), kept = 0;
    for (size_t i = 0; i < SAMPLED; i++)
      pool_add(surrogate, pawl_random_below(&search->random, (uint32_t)space->count));
    for (size_t i = 0; i < search->held_count; i++)
      if (surrogate->pool.count < surrogate->pool.room)
        pool_add(surrogate, search->held[i]); /* the search ranks held configurations */
    for (size_t i = 0; i < parent_count; i++) add_neighbours(surrogate, space, parents[i]);
    qsort(surrogate->pool.indices, surrogate->pool.count, sizeof *surrogate->pool.indices,
          surrogate_by_index);
    for (size_t i = 0; i < surrogate->pool.count; i++)
      if (!kept || surrogate->pool.indices[kept - 1] != surrogate->pool.indices[i])
        surrogate->pool.indices[kept++] = surrogate->pool.indices[i];
    surrogate->pool.count = kept;
  }
  pawl_prediction_pool_encode(&surrogate->pool);
  mark_round(surrogate);
  pawl_feasibility_forget(&surrogate->feasibility);
}

/* --- learning --- */

static bool surrogate_is_result(const struct pawl_search *search, size_t index) {
  return isfinite(search->values[index]);
}

/* The normal score of a result among all results, less that of the best. It depends on the rank
   and not on the time, so a few very slow configurations do not hide differences among good
   ones. */
static double score(const struct pawl_search *search, size_t index) {
  double faster = 0, count = 0;
  for (size_t i = 0; i < search->tried_count; i++) {
    if (!surrogate_is_result(search, search->tried[i])) continue;
    faster += search->values[search->tried[i]] < search->values[index];
    count++;
  }
  return SCORE * (pawl_normal_quantile((faster + 0.5) / count) - pawl_normal_quantile(0.5 / count));
}

/* Compresses a time over the best: very slow times do not hide differences among good ones.
   Values of two searches compare, but ranks in samples of different sizes do not. */
static double compress(double ratio) { return log(1 + log(ratio)); }

/* The differences among slow results matter little: half of SLOWEST is near the median. */
static double response(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                       size_t index) {
  const double ratio = search->values[index] / search->values[search->best];
  if (surrogate->has_known) return compress(ratio);
  if (surrogate->response == PAWL_RESPONSE_LOG_TIME) return log(ratio);
  const double mixed = (score(search, index) + compress(ratio)) / 2;
  return SLOWEST * (1 - exp(-mixed / SLOWEST));
}

/* Fits a process to the results of an earlier search. It predicts every configuration. */
static void learn_known(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  const struct pawl_features *features = &surrogate->pool.features;
  const size_t count = search->known_count, taken = count < KNOWN_POINTS ? count : KNOWN_POINTS;
  size_t points[KNOWN_POINTS];
  double values[KNOWN_POINTS], fitted_values[PAWL_GAUSSIAN_MOST_FITTED];
  size_t fitted = 0;
  uint8_t *levels =
      pawl_alloc(PAWL_GAUSSIAN_MOST_FITTED * features->axis_count + 1, sizeof *levels);
  struct pawl_gaussian_shape shape;
  for (size_t i = 0; i < taken; i++) {
    const size_t half = taken / 2,
                 place = i < half ? i : half + (i - half) * (count - half) / (taken - half);
    points[i] = search->known[place].index;
    values[i] = compress(search->known[place].time / search->known[0].time);
    if (i * PAWL_GAUSSIAN_MOST_FITTED / taken < fitted || fitted == PAWL_GAUSSIAN_MOST_FITTED)
      continue;
    pawl_features_levels(features, points[i], &levels[fitted * features->axis_count]);
    fitted_values[fitted++] = values[i];
  }
  pawl_gaussian_start(features, &shape);
  pawl_gaussian_fit(features, levels, fitted_values, fitted, KNOWN_SWEEPS, &shape);
  pawl_free(levels);
  pawl_prediction_reset(&surrogate->known, &shape);
  pawl_prediction_add(&surrogate->known, points, taken);
  pawl_prediction_update(&surrogate->known, values);
}

/* Selects the results to learn from, in the order of trying. If there are more than `wanted`, it
 * takes the fastest half of this number, and an even selection of the rest. */
static size_t select_points(const struct pawl_search *search, size_t wanted, size_t *out) {
  size_t count = 0, kept = 0, skipped = 0;
  for (size_t i = 0; i < search->tried_count; i++)
    count += surrogate_is_result(search, search->tried[i]);
  size_t *best = pawl_alloc(wanted / 2 + 1, sizeof *best);
  const size_t best_count = pawl_search_fastest(search, wanted / 2, best);
  const double limit = best_count ? search->values[best[best_count - 1]] : 0;
  size_t room = wanted - best_count, rest = count - best_count, from_best = best_count;
  for (size_t i = 0; i < search->tried_count; i++) {
    const size_t index = search->tried[i];
    if (!surrogate_is_result(search, index)) continue;
    if (count <= wanted) {
      out[kept++] = index;
    } else if (search->values[index] <= limit && from_best) {
      out[kept++] = index;
      from_best--;
    } else {
      if (skipped * room / rest != (skipped + 1) * room / rest) out[kept++] = index;
      skipped++;
    }
  }
  pawl_free(best);
  return kept;
}

/* Fits the shape to the results. */
static struct pawl_gaussian_shape fit(const struct pawl_surrogate *surrogate,
                                      const struct pawl_search *search) {
  const struct pawl_features *features = &surrogate->pool.features;
  size_t chosen[PAWL_GAUSSIAN_MOST_FITTED];
  const size_t count = select_points(search, PAWL_GAUSSIAN_MOST_FITTED, chosen);
  uint8_t *levels = pawl_alloc(count * features->axis_count + 1, sizeof *levels);
  double values[PAWL_GAUSSIAN_MOST_FITTED];
  struct pawl_gaussian_shape shape = surrogate->prediction.shape;
  for (size_t i = 0; i < count; i++) {
    pawl_features_levels(features, chosen[i], &levels[i * features->axis_count]);
    values[i] = response(surrogate, search, chosen[i]);
    if (surrogate->has_known)
      values[i] -= surrogate->trust * pawl_prediction_mean_at(&surrogate->known, chosen[i]);
  }
  const unsigned sweeps = surrogate->response == PAWL_RESPONSE_SEARCH ? 1 : REPORT_SWEEPS;
  pawl_gaussian_fit(features, levels, values, count, sweeps, &shape);
  pawl_free(levels);
  return shape;
}

/* Rebuilds all points for another shape or another pool. */
static void rebuild(struct pawl_surrogate *surrogate, const struct pawl_search *search,
                    const struct pawl_gaussian_shape *shape) {
  size_t chosen[PAWL_PREDICTION_MOST_POINTS];
  const size_t count = select_points(search, pawl_prediction_rebuilt_points(), chosen);
  pawl_prediction_reset(&surrogate->prediction, shape);
  pawl_prediction_add(&surrogate->prediction, chosen, count);
}

/* If a held configuration has failed, it drops this point and those after it, and adds the later
   ones again. */
static void drop_failures(struct pawl_prediction *prediction, const struct pawl_search *search) {
  size_t good = 0, again[PAWL_PREDICTION_MOST_POINTS], count = 0;
  while (good < prediction->point_count &&
         !pawl_search_has_failed(search, prediction->points[good]))
    good++;
  for (size_t i = good; i < prediction->point_count; i++)
    if (!pawl_search_has_failed(search, prediction->points[i]))
      again[count++] = prediction->points[i];
  pawl_prediction_drop(prediction, good);
  pawl_prediction_add(prediction, again, count);
}

/* The response of each point; NaN: it has no result yet. */
static void respond(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                    const struct pawl_prediction *prediction, double *values) {
  for (size_t i = 0; i < prediction->point_count; i++)
    values[i] = surrogate_is_result(search, prediction->points[i])
                    ? response(surrogate, search, prediction->points[i])
                    : NAN;
}

/* Adds the new results and the held configurations. */
static void add_points(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  struct pawl_prediction *prediction = &surrogate->prediction;
  double values[PAWL_PREDICTION_MOST_POINTS];
  for (; surrogate->seen < search->tried_count; surrogate->seen++) {
    const size_t index = search->tried[surrogate->seen];
    if (surrogate_is_result(search, index) && !pawl_prediction_has(prediction, index))
      pawl_prediction_add(prediction, &index, 1);
  }
  for (size_t i = 0;
       i < search->held_count && prediction->point_count < PAWL_PREDICTION_MOST_POINTS; i++)
    if (!pawl_prediction_has(prediction, search->held[i]))
      pawl_prediction_add(prediction, &search->held[i], 1);
  respond(surrogate, search, prediction, values);
  if (surrogate->has_known) { /* the process models the remainder beside the trend */
    double trend[PAWL_PREDICTION_MOST_POINTS];
    for (size_t i = 0; i < prediction->point_count; i++)
      trend[i] = pawl_prediction_mean_at(&surrogate->known, prediction->points[i]);
    surrogate->trust = pawl_prediction_slope(prediction, values, trend, TRUST, TRUST_WEIGHT);
    surrogate->trust = fmin(fmax(surrogate->trust, 0), MOST_TRUST);
    for (size_t i = 0; i < prediction->point_count; i++) values[i] -= surrogate->trust * trend[i];
  }
  pawl_prediction_update(prediction, values);
  if (surrogate->has_known)
    for (size_t i = 0; i < surrogate->pool.count; i++)
      prediction->mean[i] += (float)surrogate->trust * surrogate->known.mean[i];
}

/* Adds the points to a process with the shape of the prior. The fit is too sure of itself after
   few results, and this process is not. */
static void add_unfitted(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  const struct pawl_prediction *fitted = &surrogate->prediction;
  struct pawl_prediction *unfitted = &surrogate->unfitted;
  double values[PAWL_PREDICTION_MOST_POINTS];
  size_t same = 0;
  surrogate->asks_both = surrogate->response == PAWL_RESPONSE_SEARCH && !surrogate->has_known &&
                         search->tried_count < FEW_QUESTIONS;
  if (!surrogate->asks_both) return;
  while (same < fitted->point_count && same < unfitted->point_count &&
         unfitted->points[same] == fitted->points[same])
    same++;
  pawl_prediction_drop(unfitted, same);
  pawl_prediction_add(unfitted, &fitted->points[same], fitted->point_count - same);
  respond(surrogate, search, unfitted, values);
  pawl_prediction_update(unfitted, values);
}

static size_t count_results(const struct pawl_search *search) {
  size_t count = 0;
  for (size_t i = 0; i < search->tried_count; i++)
    count += surrogate_is_result(search, search->tried[i]);
  return count;
}

/* The code may have changed so much that the earlier results are wrong, and nothing in them
   shows it. Each guided question is lost then. So few questions are guided while the search
   might end soon, and more later. */
bool pawl_surrogate_is_guided(const struct pawl_search *search) {
  const bool again = search->tried_count >= KNOWN_AGAIN && search->tried_count < KNOWN_END;
  return search->known_count && (search->tried_count + search->held_count < KNOWN_FIRST || again);
}

static void follow_known(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  const bool follows = pawl_surrogate_is_guided(search);
  struct pawl_gaussian_shape start;
  if (follows == surrogate->has_known) return;
  surrogate->has_known = follows;
  if (follows) {
    pawl_prediction_init(&surrogate->known, &surrogate->pool);
    learn_known(surrogate, search);
    return;
  }
  pawl_prediction_release(&surrogate->known);
  pawl_gaussian_start(&surrogate->pool.features, &start);
  rebuild(surrogate, search, &start);
  surrogate->seen = search->tried_count;
  surrogate->fitted = 0;
}

void pawl_surrogate_learn(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  follow_known(surrogate, search);
  const bool large = search->space->count > PAWL_SURROGATE_LARGEST_POOL;
  const size_t results = count_results(search),
               news = search->tried_count - surrogate->seen + search->held_count;
  const bool due =
      results >= FIRST_FIT && results >= surrogate->fitted + pawl_prediction_fit_every(results);
  struct pawl_gaussian_shape shape = surrogate->prediction.shape;
  if (due) {
    shape = fit(surrogate, search);
    surrogate->fitted = results;
  }
  if (due || surrogate->prediction.point_count + news > PAWL_PREDICTION_MOST_POINTS ||
      (large && search->best != surrogate->best)) {
    if (large) {
      fill_pool(surrogate, search);
      pawl_prediction_drop(&surrogate->unfitted, 0);
      if (surrogate->has_known) learn_known(surrogate, search);
    }
    rebuild(surrogate, search, &shape);
    surrogate->best = search->best;
    surrogate->seen = search->tried_count;
  }
  drop_failures(&surrogate->prediction, search);
  add_points(surrogate, search);
  add_unfitted(surrogate, search);
  pawl_feasibility_learn(&surrogate->feasibility, search, due);
}

void pawl_surrogate_catch_up(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  if (surrogate->seen < search->tried_count) pawl_surrogate_learn(surrogate, search);
}

/* --- choosing --- */

/* The prediction at a place. */
struct belief {
  double mean, variance;
};

static struct belief belief_of(const struct pawl_prediction *prediction, size_t place) {
  return (struct belief){(double)prediction->mean[place],
                         pawl_prediction_variance(prediction, place)};
}

/* The mean and variance of the mixture of both processes, with equal weights. Where they
   disagree, the variance is larger and there is more to learn. */
static struct belief belief_at(const struct pawl_surrogate *surrogate, size_t place) {
  const struct belief fitted = belief_of(&surrogate->prediction, place);
  if (!surrogate->asks_both) return fitted;
  const struct belief unfitted = belief_of(&surrogate->unfitted, place);
  const double apart = (fitted.mean - unfitted.mean) / 2;
  return (struct belief){(fitted.mean + unfitted.mean) / 2,
                         (fitted.variance + unfitted.variance) / 2 + apart * apart};
}

bool pawl_surrogate_predict(const struct pawl_surrogate *surrogate, size_t index, double *mean,
                            double *deviation) {
  size_t place;
  if (!pawl_prediction_pool_find(&surrogate->pool, index, &place)) return false;
  const struct belief belief = belief_at(surrogate, place);
  *mean = belief.mean;
  *deviation = sqrt(belief.variance);
  return true;
}

double pawl_surrogate_chance(const struct pawl_surrogate *surrogate, size_t index) {
  size_t place;
  return pawl_prediction_pool_find(&surrogate->pool, index, &place)
             ? pawl_feasibility_at(&surrogate->feasibility, place)
             : 1;
}

/* The preference for round numbers belongs to the question alone, and not to the model. An
   earlier search knows better which numbers are good. */
static double preference_at(const struct pawl_surrogate *surrogate, size_t place) {
  if (surrogate->has_known) return 1;
  return LEAST_ROUND + (1 - LEAST_ROUND) * (double)surrogate->round[place];
}

/* The distance of a place from held configurations; 1 if nothing is held. While few results are
   in, the model cannot tell near places apart, and their answers would be alike. It is local
   penalisation as by Gonzalez and others, "Batch Bayesian optimization via local penalization",
   2016, with the correlation as the distance. */
static double apart_at(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                       size_t place) {
  const struct pawl_prediction *prediction = &surrogate->prediction;
  const struct pawl_features *features = &surrogate->pool.features;
  uint8_t here[PAWL_TUNE_MOST_DIMENSIONS], there[PAWL_TUNE_MOST_DIMENSIONS];
  double product = 1;
  if (!search->held_count || search->tried_count >= APART_RESULTS) return 1;
  pawl_features_levels(features, surrogate->pool.indices[place], here);
  for (size_t i = 0; i < search->held_count; i++) {
    pawl_features_levels(features, search->held[i], there);
    product *= fmax(1 - pawl_gaussian_correlation(&prediction->tables, features, &prediction->shape,
                                                  here, there),
                    0);
  }
  return sqrt(product);
}

/* The promise before the probability of working and the distance from held configurations count. */
static double promise_at(const struct pawl_surrogate *surrogate, size_t place,
                         struct belief belief) {
  return pawl_expected_improvement(0, belief.mean, sqrt(belief.variance)) *
         preference_at(surrogate, place);
}

/* Returns whether the next question explores the best places. One question at a time needs no such
 * questions, because the largest expected improvement explores too. Several that wait would all
 * look at the same few places, and the batch would teach no more than its best question. */
static bool asks_to_learn(const struct pawl_surrogate *surrogate,
                          const struct pawl_search *search) {
  return surrogate->asks_both && search->held_count && search->tried_count < LEARN_RESULTS &&
         (search->tried_count + search->held_count) % 2;
}

struct hope {
  double promise;
  size_t place;
};

static int by_promise(const void *a, const void *b) {
  const struct hope *left = a, *right = b;
  if (left->promise != right->promise) return left->promise > right->promise ? -1 : 1;
  return left->place < right->place ? -1 : left->place > right->place;
}

/* The open places of the pool, the most promising first. */
static size_t rank_places(const struct pawl_surrogate *surrogate, const struct pawl_search *search,
                          struct hope *out) {
  size_t count = 0;
  for (size_t i = 0; i < surrogate->pool.count; i++) {
    const struct belief belief = belief_at(surrogate, i);
    if (!pawl_search_is_open(search, surrogate->pool.indices[i])) continue;
    const double works = pawl_feasibility_at(&surrogate->feasibility, i);
    out[count++] = (struct hope){promise_at(surrogate, i, belief) * works, i};
  }
  qsort(out, count, sizeof *out, by_promise);
  return count;
}

/* The place whose answer explains most of the variance of the most promising places, weighted by
   their promise, and which promises much itself. It is a targeted criterion of the mean square
   error, as by Picheny and others, "Adaptive designs of experiments for accurate approximation
   of a target region", 2010, with the expected improvement as the target. */
static size_t most_instructive(const struct pawl_surrogate *surrogate,
                               const struct pawl_search *search) {
  struct hope *hopes = pawl_alloc(surrogate->pool.count + 1, sizeof *hopes);
  const size_t count = rank_places(surrogate, search, hopes);
  const size_t about = count < LEARN_ABOUT ? count : LEARN_ABOUT,
               from = count < LEARN_FROM ? count : LEARN_FROM;
  size_t covered[LEARN_ABOUT], chosen = PAWL_NO_CONFIGURATION;
  double weights[LEARN_ABOUT], largest = -1;
  for (size_t i = 0; i < about; i++) {
    covered[i] = hopes[i].place;
    weights[i] = hopes[i].promise;
  }
  for (size_t i = 0; i < from; i++) {
    const double taught =
        pawl_prediction_coverage(&surrogate->unfitted, covered, weights, about, hopes[i].place);
    if (!(taught * sqrt(hopes[i].promise) > largest)) continue;
    largest = taught * sqrt(hopes[i].promise);
    chosen = surrogate->pool.indices[hopes[i].place];
  }
  pawl_free(hopes);
  return chosen;
}

size_t pawl_surrogate_best(const struct pawl_surrogate *surrogate,
                           const struct pawl_search *search) {
  if (asks_to_learn(surrogate, search)) return most_instructive(surrogate, search);
  const double widest = sqrt(surrogate->prediction.variance);
  size_t chosen = PAWL_NO_CONFIGURATION;
  double largest = -1,
         farthest = INFINITY; /* the (loss / deviation)^2 from which a place promises less */
  for (size_t i = 0; i < surrogate->pool.count; i++) {
    const struct belief belief = belief_at(surrogate, i);
    const double loss = belief.mean;
    const size_t index = surrogate->pool.indices[i];
    if (loss > 0 && loss * loss > farthest * belief.variance) continue;
    if (!pawl_search_is_open(search, index)) continue;
    double promise = promise_at(surrogate, i, belief);
    if (promise > largest) promise *= pawl_feasibility_at(&surrogate->feasibility, i);
    if (promise > largest) promise *= apart_at(surrogate, search, i);
    if (!(promise > largest)) continue;
    largest = promise;
    chosen = index;
    /* For a positive loss the improvement is at most deviation / sqrt(2 pi) * exp(-(loss /
       deviation)^2 / 2). The deviation of one process is widest far from all points. */
    if (largest > 0 && !surrogate->asks_both)
      farthest = -2 * log(largest * sqrt(2 * M_PI) / widest);
  }
  return chosen;
}

size_t pawl_surrogate_first_points(const struct pawl_space *space) {
  size_t axes = 0;
  for (size_t i = 0; i < space->axis_count; i++) axes += space->axes[i].count > 1;
  const size_t points = axes * 2 / 5;
  return points > PAWL_SURROGATE_LEAST_FIRST_POINTS ? points : PAWL_SURROGATE_LEAST_FIRST_POINTS;
}

size_t pawl_surrogate_explore(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  size_t covered[COVERED], chosen = PAWL_NO_CONFIGURATION;
  double largest = -1;
  const uint32_t count = (uint32_t)surrogate->pool.count;
  for (size_t i = 0; i < COVERED; i++) covered[i] = pawl_random_below(&search->random, count);
  for (size_t i = 0; i < EXPLORED; i++) {
    const size_t candidate = pawl_random_below(&search->random, count);
    uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
    if (!pawl_search_is_open(search, surrogate->pool.indices[candidate])) continue;
    pawl_features_levels(&surrogate->pool.features, surrogate->pool.indices[candidate], levels);
    const double gain =
        pawl_prediction_coverage(&surrogate->prediction, covered, NULL, COVERED, candidate) *
        (1 + ROUND * pawl_features_round(&surrogate->pool.features, levels));
    if (!(gain > largest)) continue;
    largest = gain;
    chosen = surrogate->pool.indices[candidate];
  }
  return chosen != PAWL_NO_CONFIGURATION ? chosen : pawl_search_draw(search);
}

/* --- begin and end --- */

struct pawl_surrogate *pawl_surrogate_new(struct pawl_search *search, enum pawl_response response) {
  struct pawl_surrogate *surrogate = pawl_alloc(1, sizeof *surrogate);
  const size_t count = search->space->count;
  const size_t room = count < PAWL_SURROGATE_LARGEST_POOL ? count : PAWL_SURROGATE_LARGEST_POOL;
  pawl_prediction_pool_init(&surrogate->pool, search->space, room);
  pawl_prediction_init(&surrogate->prediction, &surrogate->pool);
  pawl_prediction_init(&surrogate->unfitted, &surrogate->pool);
  pawl_feasibility_init(&surrogate->feasibility, &surrogate->pool);
  surrogate->round = pawl_alloc(room, sizeof(float));
  surrogate->response = response;
  surrogate->best = PAWL_NO_CONFIGURATION;
  surrogate->trust = TRUST;
  fill_pool(surrogate, search);
  return surrogate;
}

void pawl_surrogate_free(struct pawl_surrogate *surrogate) {
  if (!surrogate) return;
  pawl_prediction_release(&surrogate->prediction);
  pawl_prediction_release(&surrogate->unfitted);
  if (surrogate->has_known) pawl_prediction_release(&surrogate->known);
  pawl_feasibility_release(&surrogate->feasibility);
  pawl_prediction_pool_release(&surrogate->pool);
  pawl_free(surrogate->round);
  pawl_free(surrogate);
}
