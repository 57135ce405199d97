/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian process over the features of a space: Rasmussen and Williams, "Gaussian Processes for
   Machine Learning", 2006, chapters 2 and 5. Its correlation is

     (1 - additive) * product over axes of M + additive * mean over axes of M,

   where M of an axis is the product of Matern's correlation (nu = 5/2, equation 4.17) over its
   columns, each with its own length, and where two values differ a little less: what a value has
   for itself, a kernel that is 1 for equal values and 0 for others, in a weighted sum
   (section 4.2.4). The additive part says what an axis does whatever the others are (Duvenaud and
   others, "Additive Gaussian processes", 2011). The mean has a flat prior and the variance an
   inverse gamma prior: both are integrated out. */
#ifndef PAWL_TUNE_GAUSSIAN_H
#define PAWL_TUNE_GAUSSIAN_H

#include "tune/space_features.h"

#define PAWL_GAUSSIAN_MOST_FITTED 110u /* points of one fit */

/* The parameters of the correlation. */
struct pawl_gaussian_shape {
  double inverse_lengths[PAWL_TUNE_MOST_DIMENSIONS]
                        [PAWL_FEATURE_MOST_COLUMNS]; /* 0: the column has no part */
  double noise;    /* variance of the noise, as a share of the process' own */
  double additive; /* 0..1 */
};

/* M of every axis for every pair of levels. */
struct pawl_gaussian_tables {
  float *axis[PAWL_TUNE_MOST_DIMENSIONS]; /* [level_count][level_count] */
};

/* Where a search begins: the lengths are those of the prior, derived columns have no part. */
void pawl_gaussian_start(const struct pawl_features *features, struct pawl_gaussian_shape *out);

void pawl_gaussian_tables_init(struct pawl_gaussian_tables *tables,
                               const struct pawl_features *features);
void pawl_gaussian_tables_release(struct pawl_gaussian_tables *tables);
void pawl_gaussian_tables_fill(struct pawl_gaussian_tables *tables,
                               const struct pawl_features *features,
                               const struct pawl_gaussian_shape *shape);
/* The correlation of two points, by their levels. */
double pawl_gaussian_correlation(const struct pawl_gaussian_tables *tables,
                                 const struct pawl_features *features,
                                 const struct pawl_gaussian_shape *shape, const uint8_t *a,
                                 const uint8_t *b);

/* The logarithm of the posterior density of the shape given values at points ([count][axis_count]
   levels), up to a constant; -infinity: the covariance is not positive definite. count <=
   PAWL_GAUSSIAN_MOST_FITTED. */
double pawl_gaussian_posterior(const struct pawl_features *features,
                               const struct pawl_gaussian_shape *shape, const uint8_t *points,
                               const double *values, size_t count);
/* Moves the shape to where the posterior is larger: sweeps of a coordinate search by small steps.
   One sweep for each fit of a search: a shape that follows each few results at once follows their
   noise. */
void pawl_gaussian_fit(const struct pawl_features *features, const uint8_t *points,
                       const double *values, size_t count, unsigned sweeps,
                       struct pawl_gaussian_shape *shape);

/* Mean and variance of the process given z = L^-1 values and o = L^-1 1: generalised least squares,
   and the mean of the variance's posterior. */
void pawl_gaussian_scale(const double *z, const double *o, size_t count, double *mean,
                         double *variance);

/* E[max(best - Y, 0)] for a normal Y: Jones, Schonlau, Welch, "Efficient global optimization of
   expensive black-box functions", 1998, equation 15. Never negative. */
double pawl_expected_improvement(double best, double mean, double deviation);

#endif
