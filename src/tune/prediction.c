/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/prediction.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "tune/wide.h"

#define MOST PAWL_PREDICTION_MOST_POINTS
#define JITTER 1e-6
#define BLOCK 1024u /* configurations of the pool at once */

size_t pawl_prediction_fit_every(size_t results) {
  return results < 60 ? 1 : results < 130 ? 8 : 32;
}

size_t pawl_prediction_rebuilt_points(void) {
  return PAWL_PREDICTION_MOST_POINTS - 2 * pawl_prediction_fit_every(PAWL_PREDICTION_MOST_POINTS);
}

void pawl_prediction_init(struct pawl_prediction *prediction,
                          const struct pawl_prediction_pool *pool) {
  const size_t axes = pool->features.axis_count;
  *prediction = (struct pawl_prediction){.pool = pool};
  pawl_gaussian_start(&pool->features, &prediction->shape);
  pawl_gaussian_tables_init(&prediction->tables, &pool->features);
  pawl_gaussian_tables_fill(&prediction->tables, &pool->features, &prediction->shape);
  prediction->points = pawl_alloc(MOST, sizeof *prediction->points);
  prediction->point_levels = pawl_alloc(MOST * (axes + 1), sizeof *prediction->point_levels);
  prediction->factor = pawl_alloc((size_t)MOST * MOST, sizeof *prediction->factor);
  prediction->rows = pawl_alloc(MOST, sizeof *prediction->rows);
  prediction->explained = pawl_alloc(pool->room, sizeof *prediction->explained);
  prediction->mean = pawl_alloc(pool->room, sizeof *prediction->mean);
  prediction->scratch = pawl_alloc(pool->room, sizeof *prediction->scratch);
  prediction->shares = pawl_alloc(MOST, sizeof *prediction->shares);
}

void pawl_prediction_release(struct pawl_prediction *prediction) {
  pawl_gaussian_tables_release(&prediction->tables);
  for (size_t i = 0; i < MOST; i++) pawl_free(prediction->rows[i]);
  pawl_free(prediction->points);
  pawl_free(prediction->point_levels);
  pawl_free(prediction->factor);
  pawl_free(prediction->rows);
  pawl_free(prediction->explained);
  pawl_free(prediction->mean);
  pawl_free(prediction->scratch);
  pawl_free(prediction->shares);
}

void pawl_prediction_drop(struct pawl_prediction *prediction, size_t first) {
  while (prediction->point_count > first) {
    const float *row = prediction->rows[--prediction->point_count];
    for (size_t i = 0; first && i < prediction->pool->count; i++)
      prediction->explained[i] -= row[i] * row[i];
  }
  if (!first)
    memset(prediction->explained, 0, prediction->pool->count * sizeof *prediction->explained);
}

void pawl_prediction_reset(struct pawl_prediction *prediction,
                           const struct pawl_gaussian_shape *shape) {
  prediction->shape = *shape;
  pawl_gaussian_tables_fill(&prediction->tables, &prediction->pool->features, shape);
  pawl_prediction_drop(prediction, 0);
}

/* row -= the sum of shares[j] * others[j] for j from begin to end. It subtracts four rows at a
   time, to read and write the row less often. */
static inline void subtract(float *restrict row, float *const *others, const double *shares,
                            size_t count, size_t begin, size_t end) {
  size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    const float *a = others[j], *b = others[j + 1], *c = others[j + 2], *d = others[j + 3];
    const float p = (float)shares[j], q = (float)shares[j + 1], r = (float)shares[j + 2],
                s = (float)shares[j + 3];
    for (size_t i = begin; i < end; i++) row[i] -= p * a[i] + q * b[i] + r * c[i] + s * d[i];
  }
  for (; j < count; j++) {
    const float share = (float)shares[j];
    for (size_t i = begin; i < end; i++) row[i] -= share * others[j][i];
  }
}

/* Computes the rows of V from `first` on, from the rows before them. It works block by block
   over the pool, so that all rows of a block stay in the cache. */
PAWL_WIDE static void reduce_rows(struct pawl_prediction *prediction, size_t first) {
  const size_t count = prediction->pool->count;
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    const size_t end = begin + BLOCK < count ? begin + BLOCK : count;
    for (size_t point = first; point < prediction->point_count; point++) {
      const double *factor = &prediction->factor[point * MOST];
      float *row = prediction->rows[point];
      const float scale = (float)(1 / factor[point]);
      subtract(row, prediction->rows, factor, point, begin, end);
      for (size_t i = begin; i < end; i++) {
        row[i] *= scale;
        prediction->explained[i] += row[i] * row[i];
      }
    }
  }
}

PAWL_WIDE static void reduce_mean(struct pawl_prediction *prediction, const double *shares) {
  const size_t count = prediction->pool->count;
  for (size_t begin = 0; begin < count; begin += BLOCK)
    subtract(prediction->mean, prediction->rows, shares, prediction->point_count, begin,
             begin + BLOCK < count ? begin + BLOCK : count);
}

/* Computes the point's row of the factor, and its correlations with the pool; reduce_rows()
   turns these into a row of V. */
static void place_point(struct pawl_prediction *prediction, size_t index) {
  const struct pawl_prediction_pool *pool = prediction->pool;
  const size_t axes = pool->features.axis_count, point = prediction->point_count,
               count = pool->count;
  uint8_t *levels = &prediction->point_levels[point * axes];
  double *factor = &prediction->factor[point * MOST], rest = 1 + prediction->shape.noise + JITTER;
  pawl_features_levels(&pool->features, index, levels);
  for (size_t j = 0; j < point; j++) {
    double value =
        pawl_gaussian_correlation(&prediction->tables, &pool->features, &prediction->shape, levels,
                                  &prediction->point_levels[j * axes]);
    const double *other = &prediction->factor[j * MOST];
    for (size_t k = 0; k < j; k++) value -= factor[k] * other[k];
    factor[j] = value / other[j];
    rest -= factor[j] * factor[j];
  }
  factor[point] = sqrt(fmax(rest, prediction->shape.noise + JITTER));
  float *row = prediction->rows[point], *sum = prediction->scratch;
  if (!row) row = prediction->rows[point] = pawl_alloc(pool->room, sizeof *row);
  pawl_prediction_pool_correlate(pool, &prediction->tables, levels, row, sum);
  const float additive = (float)prediction->shape.additive,
              share = axes ? additive / (float)axes : 0;
  for (size_t i = 0; i < count; i++) row[i] = (1 - additive) * row[i] + share * sum[i];
  prediction->points[point] = index;
  prediction->point_count++;
}

void pawl_prediction_add(struct pawl_prediction *prediction, const size_t *indices, size_t count) {
  const size_t first = prediction->point_count;
  for (size_t i = 0; i < count; i++) place_point(prediction, indices[i]);
  reduce_rows(prediction, first);
}

bool pawl_prediction_has(const struct pawl_prediction *prediction, size_t index) {
  for (size_t i = 0; i < prediction->point_count; i++)
    if (prediction->points[i] == index) return true;
  return false;
}

/* L^-1 of the values and of ones. A point without a value has 0 in both: the others predict it. */
static void whiten(const struct pawl_prediction *prediction, const double *known,
                   const double *values, double *z, double *o) {
  for (size_t i = 0; i < prediction->point_count; i++) {
    const double *row = &prediction->factor[i * MOST];
    double value = values[i], one = 1;
    for (size_t j = 0; j < i; j++) {
      value -= row[j] * z[j];
      one -= row[j] * o[j];
    }
    z[i] = isnan(known[i]) ? 0 : value / row[i];
    o[i] = isnan(known[i]) ? 0 : one / row[i];
  }
}

/* The factor that pulls a flat mean towards 0. */
static double shrink(const double *o, size_t count, double weight) {
  double points = 0;
  for (size_t i = 0; i < count; i++) points += o[i] * o[i];
  return points / (points + weight);
}

void pawl_prediction_update(struct pawl_prediction *prediction, const double *values) {
  const size_t n = prediction->point_count;
  double z[MOST], o[MOST], known_z[MOST] = {0}, known_o[MOST] = {0};
  size_t known = 0;
  whiten(prediction, values, values, z, o);
  for (size_t i = 0; i < n; i++) {
    if (isnan(values[i])) continue;
    known_z[known] = z[i];
    known_o[known++] = o[i];
  }
  pawl_gaussian_scale(known_z, known_o, known, &prediction->flat, &prediction->variance);
  if (prediction->flat_weight > 0)
    prediction->flat *= shrink(known_o, known, prediction->flat_weight);
  for (size_t j = 0; j < n; j++) prediction->shares[j] = prediction->flat * o[j] - z[j];
  for (size_t i = 0; i < prediction->pool->count; i++)
    prediction->mean[i] = (float)prediction->flat;
  reduce_mean(prediction, prediction->shares);
}

double pawl_prediction_mean_at(const struct pawl_prediction *prediction, size_t index) {
  const struct pawl_features *features = &prediction->pool->features;
  uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
  double v[MOST], mean = prediction->flat;
  pawl_features_levels(features, index, levels);
  for (size_t i = 0; i < prediction->point_count; i++) {
    const double *row = &prediction->factor[i * MOST];
    v[i] = pawl_gaussian_correlation(&prediction->tables, features, &prediction->shape, levels,
                                     &prediction->point_levels[i * features->axis_count]);
    for (size_t j = 0; j < i; j++) v[i] -= row[j] * v[j];
    v[i] /= row[i];
    mean -= v[i] * prediction->shares[i];
  }
  return mean;
}

double pawl_prediction_slope(const struct pawl_prediction *prediction, const double *values,
                             const double *trend, double before, double weight) {
  double z[MOST], t[MOST], o[MOST], oo = 0, oz = 0, ot = 0, tz = 0, tt = 0;
  whiten(prediction, values, values, z, o);
  whiten(prediction, values, trend, t, o);
  for (size_t i = 0; i < prediction->point_count; i++) {
    oo += o[i] * o[i];
    oz += o[i] * z[i];
    ot += o[i] * t[i];
    tz += t[i] * z[i];
    tt += t[i] * t[i];
  }
  if (!(oo > 0)) return before;
  return (tz - ot * oz / oo + weight * before) / (tt - ot * ot / oo + weight);
}

double pawl_prediction_variance(const struct pawl_prediction *prediction, size_t place) {
  return prediction->variance * fmax(1 - (double)prediction->explained[place], 1e-9);
}

double pawl_prediction_coverage(const struct pawl_prediction *prediction, const size_t *covered,
                                const double *weights, size_t count, size_t candidate) {
  const struct pawl_prediction_pool *pool = prediction->pool;
  uint8_t here[PAWL_TUNE_MOST_DIMENSIONS], there[PAWL_TUNE_MOST_DIMENSIONS];
  double sum = 0;
  pawl_features_levels(&pool->features, pool->indices[candidate], here);
  const double own =
      fmax(1 - (double)prediction->explained[candidate], 0) + prediction->shape.noise;
  for (size_t i = 0; i < count; i++) {
    pawl_features_levels(&pool->features, pool->indices[covered[i]], there);
    double value = pawl_gaussian_correlation(&prediction->tables, &pool->features,
                                             &prediction->shape, here, there);
    for (size_t j = 0; j < prediction->point_count; j++)
      value -= (double)prediction->rows[j][candidate] * (double)prediction->rows[j][covered[i]];
    sum += (weights ? weights[i] : 1) * value * value / own;
  }
  return sum / (double)count;
}
