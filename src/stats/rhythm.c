/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/rhythm.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define STEPS 3.0 /* standard deviations of a difference that is a step */
#define LEFT 0.05 /* power of the steps that are left, beside that of the differences */

/* Transforms in place, by Cooley and Tukey 1965. The count is a power of 2. `turns` has the turns
   of half a circle. */
static void transform(double complex *values, size_t count, const double complex *turns) {
  for (size_t i = 1, j = 0; i < count; i++) {
    size_t bit = count >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const double complex swapped = values[i];
    values[i] = values[j];
    values[j] = swapped;
  }
  for (size_t half = 1; half < count; half *= 2)
    for (size_t block = 0; block < count; block += 2 * half)
      for (size_t k = 0; k < half; k++) {
        double *even = (double *)&values[block + k], *odd = (double *)&values[block + k + half];
        const double complex by = turns[k * (count / 2 / half)];
        const double real = creal(by) * odd[0] - cimag(by) * odd[1];
        const double imaginary = creal(by) * odd[1] + cimag(by) * odd[0];
        odd[0] = even[0] - real, odd[1] = even[1] - imaginary;
        even[0] += real, even[1] += imaginary;
      }
}

/* Writes cos and sin of i * angle, by turning: a sine takes ten times as long. */
static void turn(double angle, size_t count, double *cosines, double *sines, size_t stride) {
  const double c = cos(angle), s = sin(angle);
  double x = 1, y = 0;
  for (size_t i = 0; i < count; i++) {
    cosines[i * stride] = x, sines[i * stride] = y;
    const double next = x * c - y * s;
    y = x * s + y * c;
    x = next;
  }
}

/* Writes the differences between successive values, and 0 for a step. */
static void differences_of(const double *values, size_t count, double *out) {
  double *sorted = pawl_alloc(count, sizeof *sorted);
  for (size_t i = 0; i + 1 < count; i++) sorted[i] = fabs(out[i] = values[i + 1] - values[i]);
  pawl_sort_doubles(sorted, count - 1);
  const double most = STEPS * PAWL_DEVIATION_OF_MAD * sorted[(count - 1) / 2];
  for (size_t i = 0; i + 1 < count; i++)
    if (fabs(out[i]) > most) out[i] = 0;
  out[count - 1] = 0;
  pawl_free(sorted);
}

double pawl_rhythm_find(const double *values, size_t count, double correlation) {
  size_t size = 8;
  while (size < 4 * count) size *= 2;
  double complex *spectrum = pawl_alloc(size + size / 2, sizeof *spectrum);
  double complex *turns = spectrum + size;
  turn(-2 * M_PI / (double)size, size / 2, (double *)turns, (double *)turns + 1, 2);
  double *differences = pawl_alloc(count, sizeof *differences);
  differences_of(values, count, differences);
  for (size_t i = 0; i < count; i++) spectrum[i] = differences[i];
  transform(spectrum, size, turns);
  double most = 0, best = 0;
  for (size_t k = 2; k < 2 * size / 5; k++) {
    const double c = creal(turns[k]);
    const double noise =
        (1 - c) * (1 + correlation) / (1 - 2 * correlation * c + correlation * correlation);
    const double power = creal(spectrum[k] * conj(spectrum[k])) / (noise + LEFT);
    if (power > most) most = power, best = (double)k / (double)size;
  }
  pawl_free(spectrum);
  pawl_free(differences);
  return best;
}

/* Takes the mean of each segment away. */
static void centre(double *values, const size_t *begins, size_t segments) {
  for (size_t s = 0; s < segments; s++) {
    double mean = 0;
    for (size_t i = begins[s]; i < begins[s + 1]; i++) mean += values[i];
    mean /= (double)(begins[s + 1] - begins[s]);
    for (size_t i = begins[s]; i < begins[s + 1]; i++) values[i] -= mean;
  }
}

enum { MOST = 2 * PAWL_RHYTHM_MOST };

/* Solves the normal equations by Gauss and Jordan. Column `waves` becomes the amplitudes. */
static void solve(double normal[MOST][MOST + 1], size_t waves) {
  for (size_t a = 0; a < waves; a++) {
    normal[a][a] = normal[a][a] * (1 + 1e-6) + 1e-12;
    for (size_t b = 0; b < waves; b++) {
      if (a == b) continue;
      const double factor = normal[b][a] / normal[a][a];
      for (size_t c = a; c <= waves; c++) normal[b][c] -= factor * normal[a][c];
    }
  }
  for (size_t a = 0; a < waves; a++) normal[a][waves] /= normal[a][a];
}

/* Moves each frequency by one step of Gauss and Newton. */
static void refine(struct pawl_rhythm *rhythm, const double *values, size_t count,
                   const size_t *begins, size_t segments, const double *pure,
                   double normal[MOST][MOST + 1], const double *sum, double *room) {
  const size_t waves = 2 * rhythm->count;
  double *left = room, *slope = room + count;
  for (size_t i = 0; i < count; i++) left[i] = values[i] - sum[i];
  centre(left, begins, segments);
  for (size_t w = 0; w < waves; w += 2) {
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
      slope[i] = 2 * M_PI * ((double)i - (double)count / 2) *
                 (normal[w + 1][waves] * pure[w * count + i] -
                  normal[w][waves] * pure[(w + 1) * count + i]);
    centre(slope, begins, segments);
    for (size_t i = 0; i < count; i++) {
      products += slope[i] * left[i];
      squares += slope[i] * slope[i];
    }
    const double most = 0.25 / (double)count;
    if (squares > 0) rhythm->frequencies[w / 2] += fmax(-most, fmin(most, products / squares));
  }
}

void pawl_rhythm_fit(struct pawl_rhythm *rhythm, const double *values, size_t count,
                     const size_t *begins, size_t segments, double *out) {
  const size_t waves = 2 * rhythm->count;
  double *regressors = pawl_alloc((2 * waves + 1) * count, sizeof *regressors);
  double *pure = regressors + (waves + 1) * count;
  double normal[MOST][MOST + 1] = {{0}};
  for (size_t w = 0; w <= waves; w++) {
    double *regressor = regressors + w * count;
    if (w < waves && w % 2 == 0)
      turn(2 * M_PI * rhythm->frequencies[w / 2], count, pure + w * count, pure + (w + 1) * count,
           1);
    const double *from = w < waves ? pure + w * count : values;
    if (segments) {
      memcpy(regressor, from, count * sizeof *from);
      centre(regressor, begins, segments);
    } else if (w == waves) {
      differences_of(values, count, regressor);
    } else {
      for (size_t i = 0; i + 1 < count; i++) regressor[i] = from[i + 1] - from[i];
    }
  }
  for (size_t a = 0; a < waves; a++)
    for (size_t b = 0; b <= waves; b++)
      for (size_t i = 0; i < count; i++)
        normal[a][b] += regressors[a * count + i] * regressors[b * count + i];
  solve(normal, waves);
  for (size_t i = 0; i < count; i++) {
    out[i] = 0;
    for (size_t w = 0; w < waves; w++) out[i] += normal[w][waves] * pure[w * count + i];
  }
  if (segments) refine(rhythm, values, count, begins, segments, pure, normal, out, regressors);
  pawl_free(regressors);
}
