/* SPDX-License-Identifier: Apache-2.0 */
/* What one Gaussian process predicts of every configuration of a pool at once. V = L^-1 K(points,
   pool) is kept row by row, so a new point costs one row; another shape rebuilds all rows. */
#ifndef PAWL_TUNE_PREDICTION_H
#define PAWL_TUNE_PREDICTION_H

#include "tune/prediction_pool.h"

#define PAWL_PREDICTION_MOST_POINTS 256u

/* How many more results are worth another fit, when there are so many; how many points to rebuild a
   prediction from, so that there is room until the next fit. */
size_t pawl_prediction_fit_every(size_t results);
size_t pawl_prediction_rebuilt_points(void);

struct pawl_prediction {
  const struct pawl_prediction_pool *pool;
  struct pawl_gaussian_shape shape;
  struct pawl_gaussian_tables tables;
  size_t *points;        /* indices in the space */
  uint8_t *point_levels; /* [point][axis] */
  size_t point_count;
  double *factor;   /* [PAWL_PREDICTION_MOST_POINTS][PAWL_PREDICTION_MOST_POINTS], lower */
  float **rows;     /* V: [point][pool->count] */
  float *explained; /* [pool->count]: the sum of squares of the rows */
  float *mean;      /* [pool->count] */
  float *scratch;   /* [pool->count] */
  double variance;
  double flat;        /* the mean far from all points */
  double flat_weight; /* the belief that it is 0, as the weight of so many points that are far from
                         each other */
  double *shares;     /* [PAWL_PREDICTION_MOST_POINTS]: what each row takes from it */
};

/* The pool is borrowed. */
void pawl_prediction_init(struct pawl_prediction *prediction,
                          const struct pawl_prediction_pool *pool);
void pawl_prediction_release(struct pawl_prediction *prediction);

/* Takes another shape or another pool: no point is left. */
void pawl_prediction_reset(struct pawl_prediction *prediction,
                           const struct pawl_gaussian_shape *shape);
void pawl_prediction_add(struct pawl_prediction *prediction, const size_t *indices, size_t count);
/* Drops the points from `first` on. */
void pawl_prediction_drop(struct pawl_prediction *prediction, size_t first);
bool pawl_prediction_has(const struct pawl_prediction *prediction, size_t index);

/* The mean over the pool, from the values at the points. A point whose value is NaN has the mean
   that the others give it: it changes nothing. */
void pawl_prediction_update(struct pawl_prediction *prediction, const double *values);
/* The mean at any configuration of the space, in the pool or not. */
double pawl_prediction_mean_at(const struct pawl_prediction *prediction, size_t index);
/* The slope of the values over a trend at the points, beside a flat mean: what the points say, and
   a belief in `before` with the weight that one point of trend 1 apart from the others has `weight`
   times. NaN: no value yet. */
double pawl_prediction_slope(const struct pawl_prediction *prediction, const double *values,
                             const double *trend, double before, double weight);
/* Variance of the process itself at a place of the pool, without noise. */
double pawl_prediction_variance(const struct pawl_prediction *prediction, size_t place);
/* How much of the variance of `count` places of the pool a result at a candidate would explain,
   each with its weight; NULL: all count the same. */
double pawl_prediction_coverage(const struct pawl_prediction *prediction, const size_t *covered,
                                const double *weights, size_t count, size_t candidate);

#endif
