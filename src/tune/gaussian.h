/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian process over a space of parameters: Rasmussen and Williams, "Gaussian Processes for Machine Learning",
   2006, chapters 2 and 5. The covariance is Matern's with nu = 5/2, one length for each axis, and noise; the mean and
   the variance are fitted out. It has its own Cholesky factorisation (algorithm 2.1 there): the matrices are at most
   PAWL_GAUSSIAN_MOST_POINTS wide, docs/adr/tuning.md says why that is better than LAPACK here. */
#ifndef PAWL_TUNE_GAUSSIAN_H
#define PAWL_TUNE_GAUSSIAN_H

#include <stdbool.h>
#include <stddef.h>

#define PAWL_GAUSSIAN_MOST_POINTS 256u

struct pawl_gaussian {
  size_t axis_count, count;
  const bool *ordinal; /* [axis_count]: distance is |a - b|; else 0 or 1: the same value or another. Borrowed. */
  double *points;      /* [count][axis_count] */
  double *lengths;     /* [axis_count] */
  double noise;        /* variance, as a share of the process' own */
  double mean, variance;
  double log_likelihood; /* of the values, their mean and variance put in; -infinity: not positive definite */
  double *factor;        /* lower triangle of the covariance' Cholesky factor, [count][count] */
  double *weights;       /* covariance^-1 (values - mean) */
  double *values;        /* [count] */
};

/* Lengths 0.5, noise 0.01; `points` and `values` are copied. */
void pawl_gaussian_init(struct pawl_gaussian *process, const double *points, const double *values, size_t count,
                        const bool *ordinal, size_t axis_count);
void pawl_gaussian_release(struct pawl_gaussian *process);

/* Factors the covariance for the lengths and the noise that are set. False: it is not positive definite. */
bool pawl_gaussian_condition(struct pawl_gaussian *process);
/* Moves lengths and noise to where the likelihood is larger: one sweep over them, a few values of each tried. False
   when no value of them can be conditioned. */
bool pawl_gaussian_fit(struct pawl_gaussian *process);

/* Mean and standard deviation of the process itself, without noise, at a point. */
void pawl_gaussian_predict(const struct pawl_gaussian *process, const double *point, double *mean, double *deviation);
/* The share of a point's covariance with each known point, [count]: how near it is, in 0..1. */
void pawl_gaussian_similarity(const struct pawl_gaussian *process, const double *point, double *out);

/* E[max(best - Y, 0)] for a normal Y: Jones, Schonlau, Welch, "Efficient global optimization of expensive black-box
   functions", 1998, equation 15. Never negative. */
double pawl_expected_improvement(double best, double mean, double deviation);

#endif
