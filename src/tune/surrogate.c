/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_POINTS 256u /* learnt from at once: the fastest and a selection */
#define SAMPLED 12000u   /* of a large space, drawn for the pool ... */
#define PARENTS 10u      /* ... beside the neighbours of so many of the best */
#define CONTRAST 4.0     /* of the response: how much more differences among good configurations count */
#define JITTER 1e-6
#define BLOCK 1024u          /* of the pool, at once */
#define FIRST_FIT 4u         /* results */
#define FEASIBLE_LENGTH 0.35 /* how far a failure says something about its neighbours */
#define FEASIBLE_PRIOR 0.3   /* tried points' worth of belief that it works */
#define REGIONAL_PRIOR 3.0   /* log odds that failures lie together, before any is seen */
#define MOST_JUDGED 200u     /* of the last results, for whether failures lie together */
#define EXPLORED 24u         /* candidates for one of the first questions ... */
#define COVERED 300u         /* ... and configurations about which something is to be learnt */
#define ROUND 1.0            /* how much round numbers are preferred among them */

/* Of the correlation of failures: the product over axes alone. */
static const struct pawl_gaussian_shape nearness_shape = {.additive = 0};

/* Where the loop of reduce_rows() takes most of a search's own time: eight floats at once if the machine can. The order
   of the operations, and with it every bit of the result, is the same. The loader chooses the version before a
   sanitizer is ready, so a sanitized program has one. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__x86_64__) && !defined(SANITIZED) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

struct pawl_surrogate {
  struct pawl_features features;
  struct pawl_gaussian_shape shape;
  struct pawl_gaussian_tables tables, nearness;
  /* the pool */
  uint32_t *pool;  /* indices in the space */
  uint8_t *levels; /* [axis][pool_count] */
  size_t pool_count, room;
  /* the process: a row for each point */
  size_t *points;        /* indices in the space */
  uint8_t *point_levels; /* [point][axis] */
  double *factor;        /* [MOST_POINTS][MOST_POINTS], lower */
  float **rows;          /* [point][pool_count] */
  size_t point_count;
  float *explained; /* [pool_count]: sum of squares of the rows */
  float *mean;      /* [pool_count] */
  float *scratch;   /* [pool_count] */
  double variance;
  size_t best;                    /* for which the pool was made */
  size_t seen;                    /* tried configurations that were looked at */
  size_t fitted;                  /* results at the last fit */
  float *near_working, *near_all; /* [pool_count] */
  size_t judged;                  /* results that are in them */
  double regional;                /* the belief that failures lie together, in 0..1, and not anywhere */
};

/* --- the pool --- */

static void pool_add(struct pawl_surrogate *surrogate, size_t index) {
  surrogate->pool[surrogate->pool_count++] = (uint32_t)index;
}

/* The configurations that differ from one in a single parameter. */
static void add_neighbours(struct pawl_surrogate *surrogate, const struct pawl_space *space, size_t index) {
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  memcpy(at, pawl_space_at(space, index), space->axis_count * sizeof *at);
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    const uint16_t own = at[axis];
    for (size_t value = 0; value < space->axes[axis].count; value++) {
      if (value == own) continue;
      at[axis] = (uint16_t)value;
      const size_t found = pawl_space_find(space, at);
      if (found != PAWL_NO_CONFIGURATION && surrogate->pool_count < surrogate->room) pool_add(surrogate, found);
    }
    at[axis] = own;
  }
}

static int by_index(const void *a, const void *b) {
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

static void fill_pool(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  const struct pawl_space *space = search->space;
  surrogate->pool_count = 0;
  if (space->count <= PAWL_SURROGATE_LARGEST_POOL) {
    for (size_t i = 0; i < space->count; i++) pool_add(surrogate, i);
  } else {
    size_t parents[PARENTS], parent_count = pawl_search_fastest(search, PARENTS, parents), kept = 0;
    for (size_t i = 0; i < SAMPLED; i++)
      pool_add(surrogate, pawl_random_below(&search->random, (uint32_t)space->count));
    for (size_t i = 0; i < parent_count; i++) add_neighbours(surrogate, space, parents[i]);
    qsort(surrogate->pool, surrogate->pool_count, sizeof *surrogate->pool, by_index);
    for (size_t i = 0; i < surrogate->pool_count; i++)
      if (!kept || surrogate->pool[kept - 1] != surrogate->pool[i]) surrogate->pool[kept++] = surrogate->pool[i];
    surrogate->pool_count = kept;
  }
  const size_t axes = surrogate->features.axis_count, count = surrogate->pool_count;
  for (size_t i = 0; i < count; i++) {
    uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
    pawl_features_levels(&surrogate->features, surrogate->pool[i], levels);
    for (size_t axis = 0; axis < axes; axis++) surrogate->levels[axis * count + i] = levels[axis];
  }
  memset(surrogate->near_working, 0, count * sizeof *surrogate->near_working);
  memset(surrogate->near_all, 0, count * sizeof *surrogate->near_all);
  surrogate->judged = 0;
}

/* The product over axes of a table's values, and their sum, for one point and all of the pool. */
static void against_pool(const struct pawl_surrogate *surrogate, const struct pawl_gaussian_tables *tables,
                         const uint8_t *point, float *product, float *sum) {
  const size_t count = surrogate->pool_count;
  for (size_t i = 0; i < count; i++) product[i] = 1;
  if (sum) memset(sum, 0, count * sizeof *sum);
  for (size_t axis = 0; axis < surrogate->features.axis_count; axis++) {
    const float *row = &tables->axis[axis][point[axis] * surrogate->features.axes[axis].level_count];
    const uint8_t *levels = &surrogate->levels[axis * count];
    for (size_t i = 0; i < count; i++) {
      const float value = row[levels[i]];
      product[i] *= value;
      if (sum) sum[i] += value;
    }
  }
}

/* --- the process --- */

static void drop_points(struct pawl_surrogate *surrogate, size_t first) {
  while (surrogate->point_count > first) {
    const float *row = surrogate->rows[--surrogate->point_count];
    for (size_t i = 0; i < surrogate->pool_count; i++) surrogate->explained[i] -= row[i] * row[i];
  }
  if (!first) memset(surrogate->explained, 0, surrogate->pool_count * sizeof *surrogate->explained);
}

/* Rows of V from `first` on, from those before them. Block by block of the pool: what all rows have of a block stays in
   the cache. */
WIDE static void reduce_rows(struct pawl_surrogate *surrogate, size_t first) {
  for (size_t begin = 0; begin < surrogate->pool_count; begin += BLOCK) {
    const size_t end = begin + BLOCK < surrogate->pool_count ? begin + BLOCK : surrogate->pool_count;
    for (size_t point = first; point < surrogate->point_count; point++) {
      const double *factor = &surrogate->factor[point * MOST_POINTS];
      float *row = surrogate->rows[point];
      const float scale = (float)(1 / factor[point]);
      for (size_t j = 0; j < point; j++) {
        const float *other = surrogate->rows[j], share = (float)factor[j];
        for (size_t i = begin; i < end; i++) row[i] -= share * other[i];
      }
      for (size_t i = begin; i < end; i++) {
        row[i] *= scale;
        surrogate->explained[i] += row[i] * row[i];
      }
    }
  }
}

/* The point's row of the factor, and its correlations with the pool, which reduce_rows() makes a row of V. */
static void place_point(struct pawl_surrogate *surrogate, size_t index) {
  const size_t axes = surrogate->features.axis_count, point = surrogate->point_count, count = surrogate->pool_count;
  uint8_t *levels = &surrogate->point_levels[point * axes];
  double *factor = &surrogate->factor[point * MOST_POINTS], rest = 1 + surrogate->shape.noise + JITTER;
  pawl_features_levels(&surrogate->features, index, levels);
  for (size_t j = 0; j < point; j++) {
    double value = pawl_gaussian_correlation(&surrogate->tables, &surrogate->features, &surrogate->shape, levels,
                                             &surrogate->point_levels[j * axes]);
    const double *other = &surrogate->factor[j * MOST_POINTS];
    for (size_t k = 0; k < j; k++) value -= factor[k] * other[k];
    factor[j] = value / other[j];
    rest -= factor[j] * factor[j];
  }
  factor[point] = sqrt(fmax(rest, surrogate->shape.noise + JITTER));
  float *row = surrogate->rows[point], *sum = surrogate->scratch;
  if (!row) row = surrogate->rows[point] = pawl_alloc(surrogate->room, sizeof *row);
  against_pool(surrogate, &surrogate->tables, levels, row, sum);
  const float additive = (float)surrogate->shape.additive, share = axes ? additive / (float)axes : 0;
  for (size_t i = 0; i < count; i++) row[i] = (1 - additive) * row[i] + share * sum[i];
  surrogate->points[point] = index;
  surrogate->point_count++;
}

static void add_points(struct pawl_surrogate *surrogate, const size_t *indices, size_t count) {
  const size_t first = surrogate->point_count;
  for (size_t i = 0; i < count; i++) place_point(surrogate, indices[i]);
  reduce_rows(surrogate, first);
}

/* 0 at the best, log 2 at e times its time. */
static double response(const struct pawl_search *search, size_t index) {
  const double loss = log(search->values[index] / search->values[search->best]);
  return M_LN2 * log1p(CONTRAST * loss) / log1p(CONTRAST);
}

static bool is_result(const struct pawl_search *search, size_t index) {
  return isfinite(search->values[index]);
}

/* Mean over the pool. A point without a result has the mean that the others give it: it changes nothing. */
static void update_mean(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  const size_t n = surrogate->point_count;
  double z[MOST_POINTS], o[MOST_POINTS], known_z[MOST_POINTS] = {0}, known_o[MOST_POINTS] = {0}, mean = 0;
  size_t known = 0;
  for (size_t i = 0; i < n; i++) {
    const double *row = &surrogate->factor[i * MOST_POINTS];
    const bool result = is_result(search, surrogate->points[i]);
    double value = result ? response(search, surrogate->points[i]) : 0, one = 1;
    for (size_t j = 0; j < i; j++) {
      value -= row[j] * z[j];
      one -= row[j] * o[j];
    }
    z[i] = result ? value / row[i] : 0;
    o[i] = result ? one / row[i] : 0;
    if (!result) continue;
    known_z[known] = z[i];
    known_o[known++] = o[i];
  }
  pawl_gaussian_scale(known_z, known_o, known, &mean, &surrogate->variance);
  for (size_t i = 0; i < surrogate->pool_count; i++) surrogate->mean[i] = (float)mean;
  for (size_t j = 0; j < n; j++) {
    const float *row = surrogate->rows[j], share = (float)(z[j] - mean * o[j]);
    if (share == 0) continue;
    for (size_t i = 0; i < surrogate->pool_count; i++) surrogate->mean[i] += share * row[i];
  }
}

/* --- learning --- */

static bool has_point(const struct pawl_surrogate *surrogate, size_t index) {
  for (size_t i = 0; i < surrogate->point_count; i++)
    if (surrogate->points[i] == index) return true;
  return false;
}

/* The results to learn from, in the order they came: of too many the fastest half, and of the rest an even selection.
 */
static size_t select_points(const struct pawl_search *search, size_t wanted, size_t *out) {
  size_t count = 0, kept = 0, skipped = 0;
  for (size_t i = 0; i < search->tried_count; i++) count += is_result(search, search->tried[i]);
  size_t *best = pawl_alloc(wanted / 2 + 1, sizeof *best);
  const size_t best_count = pawl_search_fastest(search, wanted / 2, best);
  const double limit = best_count ? search->values[best[best_count - 1]] : 0;
  size_t room = wanted - best_count, rest = count - best_count, from_best = best_count;
  for (size_t i = 0; i < search->tried_count; i++) {
    const size_t index = search->tried[i];
    if (!is_result(search, index)) continue;
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

static size_t fit_every(size_t results) {
  return results < 24 ? 1 : results < 60 ? 2 : results < 130 ? 8 : 32;
}

static void fit(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  size_t chosen[PAWL_GAUSSIAN_MOST_FITTED], axes = surrogate->features.axis_count;
  const size_t count = select_points(search, PAWL_GAUSSIAN_MOST_FITTED, chosen);
  uint8_t *levels = pawl_alloc(count * axes + 1, sizeof *levels);
  double values[PAWL_GAUSSIAN_MOST_FITTED];
  for (size_t i = 0; i < count; i++) {
    pawl_features_levels(&surrogate->features, chosen[i], &levels[i * axes]);
    values[i] = response(search, chosen[i]);
  }
  pawl_gaussian_fit(&surrogate->features, levels, values, count, &surrogate->shape);
  pawl_gaussian_tables_fill(&surrogate->tables, &surrogate->features, &surrogate->shape);
  pawl_free(levels);
}

/* All points anew, for another shape or another pool. */
static void rebuild(struct pawl_surrogate *surrogate, struct pawl_search *search, bool large) {
  size_t chosen[MOST_POINTS];
  const size_t limit = MOST_POINTS - 2 * fit_every(MOST_POINTS), count = select_points(search, limit, chosen);
  drop_points(surrogate, 0);
  if (large) fill_pool(surrogate, search);
  add_points(surrogate, chosen, count);
}

/* How many results of each kind are near each configuration of the pool. */
static void judge(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  for (; surrogate->judged < search->tried_count; surrogate->judged++) {
    const size_t index = search->tried[surrogate->judged];
    uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
    float *near = surrogate->scratch;
    pawl_features_levels(&surrogate->features, index, levels);
    against_pool(surrogate, &surrogate->nearness, levels, near, NULL);
    for (size_t i = 0; i < surrogate->pool_count; i++) surrogate->near_all[i] += near[i];
    if (!is_result(search, index)) continue;
    for (size_t i = 0; i < surrogate->pool_count; i++) surrogate->near_working[i] += near[i];
  }
}

/* A configuration that was held has failed: it and the points after it go, and these come back without it. */
static void drop_failures(struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  size_t good = 0, again[MOST_POINTS], count = 0;
  while (good < surrogate->point_count && !pawl_search_has_failed(search, surrogate->points[good])) good++;
  for (size_t i = good; i < surrogate->point_count; i++)
    if (!pawl_search_has_failed(search, surrogate->points[i])) again[count++] = surrogate->points[i];
  drop_points(surrogate, good);
  add_points(surrogate, again, count);
}

static size_t count_results(const struct pawl_search *search) {
  size_t count = 0;
  for (size_t i = 0; i < search->tried_count; i++) count += is_result(search, search->tried[i]);
  return count;
}

/* Whether failures lie together: each result is predicted from the others near it, and from the share that works at
   all. The likelihoods of the two say which to believe: where failures are anywhere, a failure says nothing about its
   neighbours, and they must not be avoided. */
static void judge_failures(struct pawl_surrogate *surrogate, const struct pawl_search *search, size_t results) {
  const size_t count = search->tried_count < MOST_JUDGED ? search->tried_count : MOST_JUDGED;
  const size_t axes = surrogate->features.axis_count, *tried = &search->tried[search->tried_count - count];
  const double share = ((double)results + 1) / ((double)search->tried_count + 1);
  double near_by = 0, anywhere = 0;
  if (results == search->tried_count) return;
  uint8_t *levels = pawl_alloc(count * axes + 1, sizeof *levels);
  for (size_t i = 0; i < count; i++) pawl_features_levels(&surrogate->features, tried[i], &levels[i * axes]);
  for (size_t i = 0; i < count; i++) {
    double all = FEASIBLE_PRIOR, working = FEASIBLE_PRIOR * share;
    for (size_t j = 0; j < count; j++) {
      if (j == i) continue;
      const double near = pawl_gaussian_correlation(&surrogate->nearness, &surrogate->features, &nearness_shape,
                                                    &levels[i * axes], &levels[j * axes]);
      all += near;
      working += is_result(search, tried[j]) ? near : 0;
    }
    const bool works = is_result(search, tried[i]);
    near_by += log(works ? working / all : 1 - working / all);
    anywhere += log(works ? share : 1 - share);
  }
  surrogate->regional = 1 / (1 + exp(fmin(anywhere - near_by - REGIONAL_PRIOR, 500)));
  pawl_free(levels);
}

void pawl_surrogate_learn(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  const bool large = search->space->count > PAWL_SURROGATE_LARGEST_POOL;
  const size_t results = count_results(search), news = search->tried_count - surrogate->seen + search->held_count;
  const bool due = results >= FIRST_FIT && results >= surrogate->fitted + fit_every(results);
  if (due) {
    fit(surrogate, search);
    judge_failures(surrogate, search, results);
    surrogate->fitted = results;
  }
  if (due || surrogate->point_count + news > MOST_POINTS || (large && search->best != surrogate->best)) {
    rebuild(surrogate, search, large);
    surrogate->best = search->best;
    surrogate->seen = search->tried_count;
  }
  drop_failures(surrogate, search);
  for (; surrogate->seen < search->tried_count; surrogate->seen++) {
    const size_t index = search->tried[surrogate->seen];
    if (is_result(search, index) && !has_point(surrogate, index)) add_points(surrogate, &index, 1);
  }
  for (size_t i = 0; i < search->held_count && surrogate->point_count < MOST_POINTS; i++)
    if (!has_point(surrogate, search->held[i])) add_points(surrogate, &search->held[i], 1);
  judge(surrogate, search);
  update_mean(surrogate, search);
}

/* --- choosing --- */

/* Standard deviation of the process itself at a place of the pool, without noise. */
static double deviation_of(const struct pawl_surrogate *surrogate, size_t place) {
  return sqrt(surrogate->variance * fmax(1 - (double)surrogate->explained[place], 1e-9));
}

bool pawl_surrogate_predict(const struct pawl_surrogate *surrogate, size_t index, double *mean, double *deviation) {
  const uint32_t wanted = (uint32_t)index;
  const uint32_t *found = bsearch(&wanted, surrogate->pool, surrogate->pool_count, sizeof wanted, by_index);
  if (!found) return false;
  const size_t place = (size_t)(found - surrogate->pool);
  *mean = (double)surrogate->mean[place];
  *deviation = deviation_of(surrogate, place);
  return true;
}

size_t pawl_surrogate_best(const struct pawl_surrogate *surrogate, const struct pawl_search *search) {
  size_t chosen = PAWL_NO_CONFIGURATION;
  double largest = -1;
  for (size_t i = 0; i < surrogate->pool_count; i++) {
    if (!pawl_search_is_open(search, surrogate->pool[i])) continue;
    const double mean = (double)surrogate->mean[i], deviation = deviation_of(surrogate, i);
    const double near =
        ((double)surrogate->near_working[i] + FEASIBLE_PRIOR) / ((double)surrogate->near_all[i] + FEASIBLE_PRIOR);
    const double chance = surrogate->regional * near + (1 - surrogate->regional);
    if (mean > 0 && largest > 0 && mean > 6 * deviation) continue; /* it promises next to nothing */
    const double promise = pawl_expected_improvement(0, mean, deviation) * chance;
    if (!(promise > largest)) continue;
    largest = promise;
    chosen = surrogate->pool[i];
  }
  return chosen;
}

/* How much of the variance of `covered` places of the pool a result at a candidate would explain. */
static double coverage(const struct pawl_surrogate *surrogate, const size_t *covered, size_t count, size_t candidate) {
  uint8_t here[PAWL_TUNE_MOST_DIMENSIONS], there[PAWL_TUNE_MOST_DIMENSIONS];
  double sum = 0;
  pawl_features_levels(&surrogate->features, surrogate->pool[candidate], here);
  const double own = fmax(1 - (double)surrogate->explained[candidate], 0) + surrogate->shape.noise;
  for (size_t i = 0; i < count; i++) {
    pawl_features_levels(&surrogate->features, surrogate->pool[covered[i]], there);
    double value = pawl_gaussian_correlation(&surrogate->tables, &surrogate->features, &surrogate->shape, here, there);
    for (size_t j = 0; j < surrogate->point_count; j++)
      value -= (double)surrogate->rows[j][candidate] * (double)surrogate->rows[j][covered[i]];
    sum += value * value / own;
  }
  return sum / (double)count;
}

size_t pawl_surrogate_explore(struct pawl_surrogate *surrogate, struct pawl_search *search) {
  size_t covered[COVERED], chosen = PAWL_NO_CONFIGURATION;
  double largest = -1;
  const uint32_t count = (uint32_t)surrogate->pool_count;
  for (size_t i = 0; i < COVERED; i++) covered[i] = pawl_random_below(&search->random, count);
  for (size_t i = 0; i < EXPLORED; i++) {
    const size_t candidate = pawl_random_below(&search->random, count);
    uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
    if (!pawl_search_is_open(search, surrogate->pool[candidate])) continue;
    pawl_features_levels(&surrogate->features, surrogate->pool[candidate], levels);
    const double gain = coverage(surrogate, covered, COVERED, candidate) *
                        (1 + ROUND * pawl_features_round(&surrogate->features, levels));
    if (!(gain > largest)) continue;
    largest = gain;
    chosen = surrogate->pool[candidate];
  }
  return chosen != PAWL_NO_CONFIGURATION ? chosen : pawl_search_draw(search);
}

/* --- begin and end --- */

struct pawl_surrogate *pawl_surrogate_new(struct pawl_search *search) {
  struct pawl_surrogate *surrogate = pawl_alloc(1, sizeof *surrogate);
  pawl_features_init(&surrogate->features, search->space);
  pawl_gaussian_start(&surrogate->features, &surrogate->shape);
  pawl_gaussian_tables_init(&surrogate->tables, &surrogate->features);
  pawl_gaussian_tables_init(&surrogate->nearness, &surrogate->features);
  pawl_gaussian_tables_fill(&surrogate->tables, &surrogate->features, &surrogate->shape);
  struct pawl_gaussian_shape near = surrogate->shape;
  for (size_t i = 0; i < surrogate->features.axis_count; i++) near.inverse_lengths[i][0] = 1 / FEASIBLE_LENGTH;
  pawl_gaussian_tables_fill(&surrogate->nearness, &surrogate->features, &near);
  const size_t room =
      search->space->count < PAWL_SURROGATE_LARGEST_POOL ? search->space->count : PAWL_SURROGATE_LARGEST_POOL;
  const size_t axes = surrogate->features.axis_count;
  surrogate->room = room;
  surrogate->pool = pawl_alloc(room, sizeof *surrogate->pool);
  surrogate->levels = pawl_alloc(room * (axes + 1), sizeof *surrogate->levels);
  surrogate->points = pawl_alloc(MOST_POINTS, sizeof *surrogate->points);
  surrogate->point_levels = pawl_alloc(MOST_POINTS * (axes + 1), sizeof *surrogate->point_levels);
  surrogate->factor = pawl_alloc((size_t)MOST_POINTS * MOST_POINTS, sizeof *surrogate->factor);
  surrogate->rows = pawl_alloc(MOST_POINTS, sizeof *surrogate->rows);
  surrogate->explained = pawl_alloc(room, sizeof(float));
  surrogate->mean = pawl_alloc(room, sizeof(float));
  surrogate->scratch = pawl_alloc(room, sizeof(float));
  surrogate->near_working = pawl_alloc(room, sizeof(float));
  surrogate->near_all = pawl_alloc(room, sizeof(float));
  surrogate->best = PAWL_NO_CONFIGURATION;
  surrogate->regional = 1;
  fill_pool(surrogate, search);
  return surrogate;
}

void pawl_surrogate_free(struct pawl_surrogate *surrogate) {
  if (!surrogate) return;
  pawl_features_release(&surrogate->features);
  pawl_gaussian_tables_release(&surrogate->tables);
  pawl_gaussian_tables_release(&surrogate->nearness);
  for (size_t i = 0; i < MOST_POINTS; i++) pawl_free(surrogate->rows[i]);
  pawl_free(surrogate->pool);
  pawl_free(surrogate->levels);
  pawl_free(surrogate->points);
  pawl_free(surrogate->point_levels);
  pawl_free(surrogate->factor);
  pawl_free(surrogate->rows);
  pawl_free(surrogate->explained);
  pawl_free(surrogate->mean);
  pawl_free(surrogate->scratch);
  pawl_free(surrogate->near_working);
  pawl_free(surrogate->near_all);
  pawl_free(surrogate);
}
