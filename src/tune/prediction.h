/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts by one Gaussian process for every configuration of a pool. V = L^-1 K(points, pool) is
 * stored by rows: a new point costs one row, and a new shape rebuilds all rows. */
#pragma once

#include "tune/prediction_pool.h"

#define PAWL_PREDICTION_MOST_POINTS 256u

/* pawl_prediction_fit_every returns the number of new results that justify another fit.
 * pawl_prediction_rebuilt_points returns the number of points for a rebuilt prediction, which
 * leaves room until the next fit. */
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
  double flat; /* the mean far from all points */
  /* the weight of the prior belief that the flat mean is 0, in independent points */
  double flat_weight;
  /* [PAWL_PREDICTION_MOST_POINTS]: scratch for the shares of the other rows in a row */
  double *shares;
};

/* The caller keeps the pool until the release. */
void pawl_prediction_init(struct pawl_prediction *prediction,
                          const struct pawl_prediction_pool *pool);
void pawl_prediction_release(struct pawl_prediction *prediction);

/* Drops all points, and takes another shape or another pool. */
void pawl_prediction_reset(struct pawl_prediction *prediction,
                           const struct pawl_gaussian_shape *shape);
void pawl_prediction_add(struct pawl_prediction *prediction, const size_t *indices, size_t count);
/* Drops the points from `first` on. */
void pawl_prediction_drop(struct pawl_prediction *prediction, size_t first);
bool pawl_prediction_has(const struct pawl_prediction *prediction, size_t index);

/* Computes the mean over the pool from the values at the points. A point whose value is NaN has
   no influence. */
void pawl_prediction_update(struct pawl_prediction *prediction, const double *values);
/* Returns the mean at any configuration of the space, in the pool or not. */
double pawl_prediction_mean_at(const struct pawl_prediction *prediction, size_t index);
/* Returns the slope of the values over a trend at the points, beside a flat mean. The prior mean of
 * the slope is `before`, with the weight of `weight` independent points of trend 1. A NaN value is
 * a point without a value. */
double pawl_prediction_slope(const struct pawl_prediction *prediction, const double *values,
                             const double *trend, double before, double weight);
/* Returns the variance of the process, without noise, at a place of the pool. */
double pawl_prediction_variance(const struct pawl_prediction *prediction, size_t place);
/* Returns the part of the variance of `count` places of the pool that a result at the candidate
 * explains. Each place has a weight; if `weights` is NULL, all weights are equal. */
double pawl_prediction_coverage(const struct pawl_prediction *prediction, const size_t *covered,
                                const double *weights, size_t count, size_t candidate);
