/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian process over the features of a space: Rasmussen and Williams, "Gaussian Processes
   for Machine Learning", 2006, chapters 2 and 5. Its correlation is (1 - additive) * product
   over axes of M + additive * mean over axes of M. M of an axis is the product of Matern
   correlations (nu = 5/2, equation 4.17) over its columns, each with its own length. Where two
   values differ, M is a little less: a kernel that is 1 for equal values and 0 for others has a
   part in a weighted sum (section 4.2.4), because a value can have an effect of its own. The
   additive part learns the effect of an axis whatever the others are (Duvenaud and others,
   "Additive Gaussian processes", 2011). The mean has a flat prior and the variance an inverse
   gamma prior, and both are integrated out. */
#pragma once

#include "tune/space_features.h"

#define PAWL_GAUSSIAN_MOST_FITTED 110u /* the most points of one fit */

/* The hyperparameters of the correlation. */
struct pawl_gaussian_shape {
  /* 0: the column takes no part */
  double inverse_lengths[PAWL_TUNE_MOST_DIMENSIONS][PAWL_FEATURE_MOST_COLUMNS];
  double noise;    /* the variance of the noise, as a share of the variance of the process */
  double additive; /* 0 to 1 */
};

/* M for every axis and every pair of levels. */
struct pawl_gaussian_tables {
  float *axis[PAWL_TUNE_MOST_DIMENSIONS]; /* [level_count][level_count] */
};

/* Sets the shape at which a fit begins: the lengths of the prior, and no derived columns. */
void pawl_gaussian_start(const struct pawl_features *features, struct pawl_gaussian_shape *out);

void pawl_gaussian_tables_init(struct pawl_gaussian_tables *tables,
                               const struct pawl_features *features);
void pawl_gaussian_tables_release(struct pawl_gaussian_tables *tables);
void pawl_gaussian_tables_fill(struct pawl_gaussian_tables *tables,
                               const struct pawl_features *features,
                               const struct pawl_gaussian_shape *shape);
/* Returns the correlation of two points, given by their levels. */
double pawl_gaussian_correlation(const struct pawl_gaussian_tables *tables,
                                 const struct pawl_features *features,
                                 const struct pawl_gaussian_shape *shape, const uint8_t *a,
                                 const uint8_t *b);

/* Returns the logarithm of the posterior density of the shape, up to a constant, given values at
 * points ([count][axis_count] levels). Returns -infinity if the covariance is not positive
 * definite. count <= PAWL_GAUSSIAN_MOST_FITTED. */
double pawl_gaussian_posterior(const struct pawl_features *features,
                               const struct pawl_gaussian_shape *shape, const uint8_t *points,
                               const double *values, size_t count);
/* Moves the shape to a larger posterior by sweeps of a coordinate search with small steps. A
   search does one sweep for each fit, because a shape that follows every few results follows
   their noise. */
void pawl_gaussian_fit(const struct pawl_features *features, const uint8_t *points,
                       const double *values, size_t count, unsigned sweeps,
                       struct pawl_gaussian_shape *shape);

/* Computes the mean and the variance of the process from z = L^-1 values and o = L^-1 1, by
 * generalised least squares and the mean of the variance's posterior. */
void pawl_gaussian_scale(const double *z, const double *o, size_t count, double *mean,
                         double *variance);

/* Returns E[max(best - Y, 0)] for a normal Y: Jones, Schonlau, Welch, "Efficient global
 * optimization of expensive black-box functions", 1998, equation 15. It is never negative. */
double pawl_expected_improvement(double best, double mean, double deviation);
