/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/gaussian.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define JITTER 1e-10 /* on the diagonal, against rounding */

void pawl_gaussian_init(struct pawl_gaussian *process, const double *points, const double *values, size_t count,
                        const bool *ordinal, size_t axis_count) {
  *process = (struct pawl_gaussian){.axis_count = axis_count, .count = count, .ordinal = ordinal, .noise = 0.01};
  process->points = pawl_alloc(count * axis_count + 1, sizeof(double));
  process->values = pawl_alloc(count + 1, sizeof(double));
  process->weights = pawl_alloc(count + 1, sizeof(double));
  process->factor = pawl_alloc(count * count + 1, sizeof(double));
  process->lengths = pawl_alloc(axis_count + 1, sizeof(double));
  if (count) memcpy(process->points, points, count * axis_count * sizeof(double));
  if (count) memcpy(process->values, values, count * sizeof(double));
  for (size_t i = 0; i < axis_count; i++) process->lengths[i] = 0.5;
  for (size_t i = 0; i < count; i++) process->mean += values[i] / (double)count;
}

void pawl_gaussian_release(struct pawl_gaussian *process) {
  if (!process) return;
  pawl_free(process->points);
  pawl_free(process->values);
  pawl_free(process->weights);
  pawl_free(process->factor);
  pawl_free(process->lengths);
  *process = (struct pawl_gaussian){0};
}

/* Matern, nu = 5/2 (equation 4.17), of two points. */
static double correlation(const struct pawl_gaussian *process, const double *a, const double *b) {
  double square = 0;
  for (size_t i = 0; i < process->axis_count; i++) {
    const double distance = process->ordinal[i] ? a[i] - b[i] : a[i] != b[i];
    square += distance * distance / (process->lengths[i] * process->lengths[i]);
  }
  const double r = sqrt(5 * square);
  return (1 + r + r * r / 3) * exp(-r);
}

/* In place, of the lower triangle. */
static bool cholesky(double *matrix, size_t n) {
  for (size_t j = 0; j < n; j++) {
    double *row_j = &matrix[j * n];
    for (size_t i = j; i < n; i++) {
      double *row_i = &matrix[i * n];
      double sum = row_i[j];
      for (size_t k = 0; k < j; k++) sum -= row_i[k] * row_j[k];
      if (i > j)
        row_i[j] = sum / row_j[j];
      else if (sum > 0)
        row_j[j] = sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

/* vector = L^-1 vector. */
static void solve_lower(const double *factor, size_t n, double *vector) {
  for (size_t i = 0; i < n; i++) {
    double sum = vector[i];
    for (size_t k = 0; k < i; k++) sum -= factor[i * n + k] * vector[k];
    vector[i] = sum / factor[i * n + i];
  }
}

/* vector = L^-T vector. */
static void solve_upper(const double *factor, size_t n, double *vector) {
  for (size_t i = n; i-- > 0;) {
    vector[i] /= factor[i * n + i];
    for (size_t k = 0; k < i; k++) vector[k] -= factor[i * n + k] * vector[i];
  }
}

bool pawl_gaussian_condition(struct pawl_gaussian *process) {
  const size_t n = process->count;
  process->log_likelihood = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++)
      process->factor[i * n + j] =
          correlation(process, &process->points[i * process->axis_count], &process->points[j * process->axis_count]);
    process->factor[i * n + i] += process->noise + JITTER;
  }
  if (!n || !cholesky(process->factor, n)) return false;
  double log_determinant = 0, sum = 0;
  for (size_t i = 0; i < n; i++) process->weights[i] = process->values[i] - process->mean;
  solve_lower(process->factor, n, process->weights);
  for (size_t i = 0; i < n; i++) {
    log_determinant += 2 * log(process->factor[i * n + i]);
    sum += process->weights[i] * process->weights[i];
  }
  solve_upper(process->factor, n, process->weights);
  process->variance = fmax(sum / (double)n, 1e-300); /* where the likelihood is largest */
  process->log_likelihood =
      -0.5 * ((double)n * (log(process->variance) + 1 + log(2 * 3.14159265358979323846)) + log_determinant);
  return true;
}

/* Tries the values in place of *parameter and leaves the best. */
static void try_values(struct pawl_gaussian *process, double *parameter, const double *values, size_t count,
                       double *best_likelihood) {
  double best = *parameter;
  for (size_t i = 0; i < count; i++) {
    *parameter = values[i];
    if (!pawl_gaussian_condition(process) || !(process->log_likelihood > *best_likelihood)) continue;
    *best_likelihood = process->log_likelihood;
    best = values[i];
  }
  *parameter = best;
}

bool pawl_gaussian_fit(struct pawl_gaussian *process) {
  static const double lengths[] = {0.15, 0.4, 1, 2.5, 8}, noises[] = {1e-4, 1e-3, 1e-2, 0.1};
  double best = pawl_gaussian_condition(process) ? process->log_likelihood : -INFINITY;
  for (size_t i = 0; i < process->axis_count; i++)
    try_values(process, &process->lengths[i], lengths, sizeof lengths / sizeof *lengths, &best);
  try_values(process, &process->noise, noises, sizeof noises / sizeof *noises, &best);
  return pawl_gaussian_condition(process);
}

void pawl_gaussian_similarity(const struct pawl_gaussian *process, const double *point, double *out) {
  for (size_t i = 0; i < process->count; i++)
    out[i] = correlation(process, point, &process->points[i * process->axis_count]);
}

void pawl_gaussian_predict(const struct pawl_gaussian *process, const double *point, double *mean, double *deviation) {
  double covariance[PAWL_GAUSSIAN_MOST_POINTS];
  double sum = process->mean, explained = 0;
  PAWL_ASSERT(process->count <= PAWL_GAUSSIAN_MOST_POINTS);
  pawl_gaussian_similarity(process, point, covariance);
  for (size_t i = 0; i < process->count; i++) sum += covariance[i] * process->weights[i];
  solve_lower(process->factor, process->count, covariance);
  for (size_t i = 0; i < process->count; i++) explained += covariance[i] * covariance[i];
  *mean = sum;
  *deviation = sqrt(fmax(1 - explained, 0) * process->variance);
}

double pawl_expected_improvement(double best, double mean, double deviation) {
  const double gain = best - mean;
  if (!(deviation > 0)) return fmax(gain, 0);
  const double z = gain / deviation;
  const double density = exp(-0.5 * z * z) / sqrt(2 * 3.14159265358979323846);
  return fmax(gain * 0.5 * erfc(-z / sqrt(2)) + deviation * density, 0);
}
