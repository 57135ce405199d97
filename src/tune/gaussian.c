/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/gaussian.h"

#include <math.h>

#include "base/count.h"
#include "base/memory.h"

#define MOST PAWL_GAUSSIAN_MOST_FITTED
#define JITTER 1e-6     /* added to the diagonal, because float tables have rounding errors */
#define DERIVED_FROM 8u /* a derived column may take part from this number of points on */
/* the share of an axis' correlation that two different levels never have in common */
#define DISTINCT 0.03

/* The priors are log-normal for lengths and noise, normal for the additive part, and inverse
   gamma for the variance. */
#define LENGTH 1.2
#define LENGTH_SPREAD 0.8
#define NOISE 5e-4
#define NOISE_SPREAD 1.5
#define ADDITIVE_START 0.6
#define ADDITIVE 0.3
#define ADDITIVE_SPREAD 0.3
#define VARIANCE_SHAPE 1.0
#define VARIANCE_SCALE 0.15
/* subtracted from the log posterior for each derived column that takes part */
#define DERIVED_COST 1.0

void pawl_gaussian_start(const struct pawl_features *features, struct pawl_gaussian_shape *out) {
  *out = (struct pawl_gaussian_shape){.noise = NOISE, .additive = ADDITIVE_START};
  for (size_t i = 0; i < features->axis_count; i++) out->inverse_lengths[i][0] = 1 / LENGTH;
}

/* --- the correlation --- */

static double matern(double distance) {
  const double r = sqrt(5) * distance;
  return (1 + r + r * r / 3) * exp(-r);
}

static double distance(const struct pawl_feature_column *column, size_t a, size_t b) {
  if (column->word) return a != b;
  return fabs((double)column->place[a] - (double)column->place[b]);
}

static void fill_table(const struct pawl_feature_axis *axis, const double *inverse_lengths,
                       float *out) {
  for (size_t a = 0; a < axis->level_count; a++) {
    for (size_t b = 0; b <= a; b++) {
      double product = 1;
      for (size_t c = 0; c < axis->column_count; c++)
        if (inverse_lengths[c] > 0)
          product *= matern(distance(&axis->columns[c], a, b) * inverse_lengths[c]);
      if (a != b) product *= 1 - DISTINCT;
      out[a * axis->level_count + b] = out[b * axis->level_count + a] = (float)product;
    }
  }
}

void pawl_gaussian_tables_init(struct pawl_gaussian_tables *tables,
                               const struct pawl_features *features) {
  *tables = (struct pawl_gaussian_tables){0};
  for (size_t i = 0; i < features->axis_count; i++) {
    const size_t levels = features->axes[i].level_count;
    tables->axis[i] = pawl_alloc(levels * levels, sizeof(float));
  }
}

void pawl_gaussian_tables_release(struct pawl_gaussian_tables *tables) {
  if (!tables) return;
  for (size_t i = 0; i < PAWL_TUNE_MOST_DIMENSIONS; i++) pawl_free(tables->axis[i]);
  *tables = (struct pawl_gaussian_tables){0};
}

void pawl_gaussian_tables_fill(struct pawl_gaussian_tables *tables,
                               const struct pawl_features *features,
                               const struct pawl_gaussian_shape *shape) {
  for (size_t i = 0; i < features->axis_count; i++)
    fill_table(&features->axes[i], shape->inverse_lengths[i], tables->axis[i]);
}

double pawl_gaussian_correlation(const struct pawl_gaussian_tables *tables,
                                 const struct pawl_features *features,
                                 const struct pawl_gaussian_shape *shape, const uint8_t *a,
                                 const uint8_t *b) {
  double product = 1, sum = 0;
  for (size_t i = 0; i < features->axis_count; i++) {
    const double value = (double)tables->axis[i][a[i] * features->axes[i].level_count + b[i]];
    product *= value;
    sum += value;
  }
  if (!features->axis_count) return 1;
  return (1 - shape->additive) * product + shape->additive * sum / (double)features->axis_count;
}

/* --- linear algebra --- */

/* Works in place on the lower triangle. False: the matrix is not positive definite. */
static bool cholesky(double *matrix, size_t n) {
  double *column = pawl_alloc(n + 1, sizeof *column);
  bool positive = true;
  for (size_t j = 0; positive && j < n; j++) {
    positive = matrix[j * n + j] > 0;
    if (!positive) break;
    const double pivot = sqrt(matrix[j * n + j]);
    matrix[j * n + j] = pivot;
    for (size_t i = j + 1; i < n; i++) column[i] = matrix[i * n + j] /= pivot;
    for (size_t i = j + 1; i < n; i++) { /* by rows, so that the inner loop is contiguous */
      double *row = &matrix[i * n];
      const double factor = column[i];
      for (size_t k = j + 1; k <= i; k++) row[k] -= factor * column[k];
    }
  }
  pawl_free(column);
  return positive;
}

void pawl_gaussian_scale(const double *z, const double *o, size_t count, double *mean,
                         double *variance) {
  double zz = 0, oz = 0, oo = 0;
  for (size_t i = 0; i < count; i++) {
    zz += z[i] * z[i];
    oz += o[i] * z[i];
    oo += o[i] * o[i];
  }
  const double rest = count ? fmax(zz - oz * oz / oo, 0) : 0;
  *mean = count ? oz / oo : 0;
  *variance = (VARIANCE_SCALE + rest / 2) / (VARIANCE_SHAPE + fmax((double)count - 1, 0) / 2);
}

/* --- the posterior of the shape --- */

/* The state of a fit. It keeps the part of each axis for each pair of points, so that a step
   along one axis recomputes only this axis. */
struct fit {
  const struct pawl_features *features;
  const uint8_t *points;
  const double *values;
  size_t count, pairs;
  struct pawl_gaussian_shape shape;
  float *table;                            /* scratch for one axis */
  float *parts[PAWL_TUNE_MOST_DIMENSIONS]; /* [pairs] */
  float *product, *sum;                    /* [pairs] */
  double *matrix;                          /* [count][count] */
};

static void update_axis(struct fit *fit, size_t axis) {
  const struct pawl_feature_axis *feature = &fit->features->axes[axis];
  fill_table(feature, fit->shape.inverse_lengths[axis], fit->table);
  float *out = fit->parts[axis];
  for (size_t i = 0; i < fit->count; i++) {
    const float *row =
        &fit->table[fit->points[i * fit->features->axis_count + axis] * feature->level_count];
    for (size_t j = 0; j <= i; j++) *out++ = row[fit->points[j * fit->features->axis_count + axis]];
  }
}

static void fill_matrix(struct fit *fit) {
  const size_t axes = fit->features->axis_count, n = fit->count;
  for (size_t k = 0; k < fit->pairs; k++) fit->product[k] = 1, fit->sum[k] = 0;
  for (size_t axis = 0; axis < axes; axis++) {
    const float *part = fit->parts[axis];
    for (size_t k = 0; k < fit->pairs; k++) {
      fit->product[k] *= part[k];
      fit->sum[k] += part[k];
    }
  }
  const float additive = (float)fit->shape.additive, share = axes ? additive / (float)axes : 0;
  for (size_t i = 0, k = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++, k++)
      fit->matrix[i * n + j] = (double)((1 - additive) * fit->product[k] + share * fit->sum[k]);
    fit->matrix[i * n + i] += fit->shape.noise + JITTER;
  }
}

static double square(double value) { return value * value; }

/* The logarithm of the prior density, up to a constant. */
static double prior(const struct fit *fit) {
  double sum = square(log(fit->shape.noise / NOISE) / NOISE_SPREAD) +
               square((fit->shape.additive - ADDITIVE) / ADDITIVE_SPREAD);
  double cost = 0;
  for (size_t i = 0; i < fit->features->axis_count; i++) {
    for (size_t c = 0; c < fit->features->axes[i].column_count; c++) {
      const double inverse = fit->shape.inverse_lengths[i][c];
      if (!(inverse > 0)) continue;
      sum += square(log(inverse * LENGTH) / LENGTH_SPREAD);
      cost += fit->features->axes[i].columns[c].derived ? DERIVED_COST : 0;
    }
  }
  return -sum / 2 - cost;
}

static double posterior(struct fit *fit) {
  const size_t n = fit->count;
  double z[MOST], o[MOST], log_determinant = 0, zz = 0, oz = 0, oo = 0;
  fill_matrix(fit);
  if (!cholesky(fit->matrix, n)) return -INFINITY;
  for (size_t i = 0; i < n; i++) {
    const double *row = &fit->matrix[i * n];
    double value = fit->values[i], one = 1;
    for (size_t j = 0; j < i; j++) {
      value -= row[j] * z[j];
      one -= row[j] * o[j];
    }
    z[i] = value / row[i];
    o[i] = one / row[i];
    log_determinant += 2 * log(row[i]);
    zz += z[i] * z[i];
    oz += o[i] * z[i];
    oo += o[i] * o[i];
  }
  const double rest = fmax(zz - oz * oz / oo, 0);
  return -log_determinant / 2 - log(oo) / 2 -
         (VARIANCE_SHAPE + ((double)n - 1) / 2) * log(VARIANCE_SCALE + rest / 2) + prior(fit);
}

static void fit_init(struct fit *fit, const struct pawl_features *features, const uint8_t *points,
                     const double *values, size_t count, const struct pawl_gaussian_shape *shape) {
  *fit = (struct fit){
      .features = features, .points = points, .values = values, .count = count, .shape = *shape};
  fit->pairs = count * (count + 1) / 2;
  size_t levels = 1;
  for (size_t i = 0; i < features->axis_count; i++) {
    if (features->axes[i].level_count > levels) levels = features->axes[i].level_count;
    fit->parts[i] = pawl_alloc(fit->pairs + 1, sizeof(float));
  }
  fit->table = pawl_alloc(levels * levels, sizeof *fit->table);
  fit->product = pawl_alloc(fit->pairs + 1, sizeof *fit->product);
  fit->sum = pawl_alloc(fit->pairs + 1, sizeof *fit->sum);
  fit->matrix = pawl_alloc(count * count + 1, sizeof *fit->matrix);
  for (size_t i = 0; i < features->axis_count; i++) update_axis(fit, i);
}

static void fit_release(struct fit *fit) {
  for (size_t i = 0; i < fit->features->axis_count; i++) pawl_free(fit->parts[i]);
  pawl_free(fit->table);
  pawl_free(fit->product);
  pawl_free(fit->sum);
  pawl_free(fit->matrix);
}

double pawl_gaussian_posterior(const struct pawl_features *features,
                               const struct pawl_gaussian_shape *shape, const uint8_t *points,
                               const double *values, size_t count) {
  struct fit fit;
  PAWL_ASSERT(count && count <= MOST);
  fit_init(&fit, features, points, values, count, shape);
  const double result = posterior(&fit);
  fit_release(&fit);
  return result;
}

/* --- the coordinate search --- */

static const double factors[] = {0.7, 1.4};
#define FACTORS PAWL_COUNT(factors)

/* Tries values for *parameter and keeps the best. `axis` is the axis that depends on it, or
   axis_count for none. */
static void try_values(struct fit *fit, double *parameter, size_t axis, const double *values,
                       size_t count, double *best) {
  double kept = *parameter;
  const bool of_axis = axis < fit->features->axis_count;
  for (size_t i = 0; i < count; i++) {
    *parameter = values[i];
    if (of_axis) update_axis(fit, axis);
    const double found = posterior(fit);
    if (!(found > *best)) continue;
    *best = found;
    kept = values[i];
  }
  *parameter = kept;
  if (of_axis) update_axis(fit, axis);
}

static void try_factors(struct fit *fit, double *parameter, size_t axis, double low, double high,
                        double *best) {
  double values[FACTORS];
  for (size_t i = 0; i < FACTORS; i++) values[i] = fmin(fmax(*parameter * factors[i], low), high);
  try_values(fit, parameter, axis, values, FACTORS, best);
}

static void try_column(struct fit *fit, size_t axis, size_t column, double *best) {
  double *inverse = &fit->shape.inverse_lengths[axis][column];
  const bool derived = fit->features->axes[axis].columns[column].derived;
  static const double off[] = {0}, on[] = {1, 1 / 0.4};
  if (derived && fit->count < DERIVED_FROM) return;
  if (*inverse > 0) try_factors(fit, inverse, axis, 0.05, 20, best);
  if (derived && *inverse > 0)
    try_values(fit, inverse, axis, off, 1, best);
  else if (derived)
    try_values(fit, inverse, axis, on, 2, best);
}

void pawl_gaussian_fit(const struct pawl_features *features, const uint8_t *points,
                       const double *values, size_t count, unsigned sweeps,
                       struct pawl_gaussian_shape *shape) {
  struct fit fit;
  PAWL_ASSERT(count && count <= MOST);
  fit_init(&fit, features, points, values, count, shape);
  double best = posterior(&fit);
  for (unsigned sweep = 0; sweep < sweeps; sweep++) {
    for (size_t axis = 0; axis < features->axis_count; axis++)
      for (size_t column = 0; column < features->axes[axis].column_count; column++)
        try_column(&fit, axis, column, &best);
    try_factors(&fit, &fit.shape.noise, features->axis_count, 1e-6, 1, &best);
    try_factors(&fit, &fit.shape.additive, features->axis_count, 0.02, 0.98, &best);
  }
  *shape = fit.shape;
  fit_release(&fit);
}

double pawl_expected_improvement(double best, double mean, double deviation) {
  const double gain = best - mean;
  if (!(deviation > 0)) return fmax(gain, 0);
  const double z = gain / deviation;
  const double density = exp(-0.5 * z * z) / sqrt(2 * 3.14159265358979323846);
  return fmax(gain * 0.5 * erfc(-z / sqrt(2)) + deviation * density, 0);
}
