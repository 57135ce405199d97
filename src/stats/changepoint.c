/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/changepoint.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/envelope.h"
#include "stats/sort.h"

#define HALF_WINDOW 5 /* values on each side of the running median */
#define CLIP 3.5      /* standard deviations from the median at which a value is clipped */
#define MOST_CORRELATION 0.95
#define LEAST_SD 1e-4 /* in logarithms: clocks tick, and tools round times */
#define SHORTEST 3    /* values of a segment */
/* The differences give the noise of the first pass, the residuals of that pass the noise of the
   second. */
#define PASSES 2
#define PENALTY 3.0 /* the cost of a change, in squared standard deviations, times log(count) */
#define SURE 34.0   /* squared standard deviations that a change must explain */
#define STEP 1.2    /* standard deviations that a level must move */

/* A series under analysis: logarithms, and prefix sums that give the costs of segments. */
struct series {
  size_t count;
  double *logs;    /* the values in logarithms */
  double *clipped; /* without outliers */
  /* sums of the innovations before i, u[t] = y[t] - correlation * y[t - 1] */
  double *sum, *squares;
  double *best;    /* the least cost of the values before i */
  size_t *last;    /* the begin of the last segment of that cost */
  double *inverse; /* [n]: 1 / the weight of the level of a segment of n values */
  double *room;    /* `count` values, for sorting */
  struct pawl_series_noise noise;
};

static double changepoint_median_of(struct series *series, const double *values, size_t count) {
  memcpy(series->room, values, count * sizeof *values);
  pawl_sort_doubles(series->room, count);
  return pawl_median(series->room, count);
}

static double running_median(const struct series *series, size_t i) {
  double window[2 * HALF_WINDOW + 1];
  const size_t begin = i > HALF_WINDOW ? i - HALF_WINDOW : 0;
  const size_t end = i + HALF_WINDOW + 1 < series->count ? i + HALF_WINDOW + 1 : series->count;
  memcpy(window, series->logs + begin, (end - begin) * sizeof *window);
  pawl_sort_doubles(window, end - begin);
  return pawl_median(window, end - begin);
}

/* Centres the clipped values on 0, because squares of large numbers lose significant digits. */
static void clip(struct series *series) {
  double *away = series->sum; /* not in use yet */
  double mean = 0;
  for (size_t i = 0; i < series->count; i++) {
    series->clipped[i] = running_median(series, i);
    away[i] = fabs(series->logs[i] - series->clipped[i]);
  }
  const double limit =
      CLIP *
      fmax(LEAST_SD, PAWL_DEVIATION_OF_MAD * changepoint_median_of(series, away, series->count));
  for (size_t i = 0; i < series->count; i++) {
    series->clipped[i] += fmax(-limit, fmin(limit, series->logs[i] - series->clipped[i]));
    mean += series->clipped[i] / (double)series->count;
  }
  for (size_t i = 0; i < series->count; i++) series->clipped[i] -= mean;
}

/* Returns the mean square of the differences between values `lag` apart. Leaves out the largest,
   which contain the changes. */
static double square_of_differences(struct series *series, size_t lag) {
  const size_t count = series->count - lag, kept = count - count / 20;
  for (size_t i = 0; i < count; i++)
    series->room[i] = fabs(series->clipped[i + lag] - series->clipped[i]);
  pawl_sort_doubles(series->room, count);
  double sum = 0;
  for (size_t i = 0; i < kept; i++) sum += series->room[i] * series->room[i];
  /* corrects for the twentieth that is cut off a normal distribution */
  return sum / (double)kept / (count >= 20 ? 0.759 : 1);
}

static void set_noise(struct series *series, double sd, double correlation) {
  series->noise.sd = fmax(LEAST_SD, sd);
  series->noise.correlation = fmax(0, fmin(MOST_CORRELATION, correlation));
}

/* Estimates the noise from differences. The differences of values k apart in an AR(1) process have
   the mean square 2 sd^2 (1 - correlation^k). */
static void noise_of_differences(struct series *series) {
  const double one = square_of_differences(series, 1), two = square_of_differences(series, 2);
  const double correlation = one > 0 ? fmax(0, fmin(MOST_CORRELATION, two / one - 1)) : 0;
  set_noise(series, sqrt(one / (2 * (1 - correlation))), correlation);
}

/* Estimates the noise from the residuals around the levels of the segments. */
static void noise_of_residuals(struct series *series, const size_t *begins, size_t segments) {
  double squares = 0, products = 0;
  size_t pairs = 0;
  for (size_t s = 0; s < segments; s++) {
    const size_t begin = begins[s], end = begins[s + 1];
    double mean = 0;
    for (size_t i = begin; i < end; i++) mean += series->clipped[i];
    mean /= (double)(end - begin);
    for (size_t i = begin; i < end; i++) {
      const double away = series->clipped[i] - mean;
      squares += away * away;
      if (i + 1 == end) continue;
      products += away * (series->clipped[i + 1] - mean);
      pairs++;
    }
  }
  const double degrees = (double)series->count - (double)segments;
  const double sd = sqrt(squares / fmax(1, degrees));
  /* the mean of a segment follows its values, so the correlation looks too small: Kendall 1954 */
  const double raw =
      squares > 0 ? products / squares * (double)series->count / fmax(1, (double)pairs) : 0;
  const double length = (double)series->count / (double)segments;
  set_noise(series, sd, raw + (1 + 3 * fmax(0, raw)) / length);
}

static void sum_up(struct series *series) {
  const double correlation = series->noise.correlation;
  const double step = 1 - correlation, first = 1 - correlation * correlation;
  series->sum[0] = series->squares[0] = 0;
  for (size_t i = 0; i < series->count; i++) {
    const double innovation =
        i ? series->clipped[i] - correlation * series->clipped[i - 1] : series->clipped[0];
    series->sum[i + 1] = series->sum[i] + innovation;
    series->squares[i + 1] = series->squares[i] + innovation * innovation;
    series->inverse[i + 1] = 1 / (first + (double)i * step * step);
  }
}

/* Returns the least sum of squared innovations of the values begin .. end - 1 around one level. The
   first value comes from the stationary distribution. */
static inline double cost(const struct series *series, size_t begin, size_t end) {
  const double correlation = series->noise.correlation, step = 1 - correlation,
               first = 1 - correlation * correlation;
  const double y = series->clipped[begin];
  const double moment = first * y + step * (series->sum[end] - series->sum[begin + 1]);
  const double square = first * y * y + series->squares[end] - series->squares[begin + 1];
  return square - moment * moment * series->inverse[end - begin];
}

static double innovation_variance(const struct series *series) {
  return series->noise.sd * series->noise.sd *
         (1 - series->noise.correlation * series->noise.correlation);
}

/* Returns the cost of a segment from `begin` on as a function of its level. Leaves out the later
   values, whose cost is the same for all begins. */
static struct pawl_parabola cost_from(const struct series *series, size_t begin) {
  const double correlation = series->noise.correlation, step = 1 - correlation,
               first = 1 - correlation * correlation;
  const double y = series->clipped[begin];
  return (struct pawl_parabola){
      .square = first - (double)(begin + 1) * step * step,
      .linear = first * y - step * series->sum[begin + 1],
      .constant = series->best[begin] + first * y * y - series->squares[begin + 1],
      .owner = begin};
}

/* Returns the best begin of a last segment that ends at `end`. */
static size_t best_begin(const struct series *series, const struct pawl_envelope *begins,
                         size_t end, double *least) {
  const double level = (1 - series->noise.correlation) * series->sum[end];
  size_t best = 0;
  *least = INFINITY;
  for (size_t i = 0; i < begins->count; i++) {
    const struct pawl_parabola *from = &begins->pieces[i].parabola;
    const double moment = from->linear + level;
    const double found = from->constant - moment * moment * series->inverse[end - from->owner];
    if (!(found < *least)) continue;
    *least = found;
    best = from->owner;
  }
  return best;
}

static void set_bounds(const struct series *series, double *lowest, double *highest) {
  *lowest = *highest = series->clipped[0];
  for (size_t i = 1; i < series->count; i++) {
    *lowest = fmin(*lowest, series->clipped[i]);
    *highest = fmax(*highest, series->clipped[i]);
  }
}

/* Writes the begins of the segments and the count behind them, and returns the number of segments.
   The search is optimal partitioning with functional pruning (Maidstone, Hocking, Rigaill,
   Fearnhead 2017): a begin that another beats at every level never needs another try. */
static size_t partition(struct series *series, size_t *begins) {
  const double penalty = PENALTY * log((double)series->count) * innovation_variance(series);
  double lowest, highest, least;
  struct pawl_envelope candidates;
  set_bounds(series, &lowest, &highest);
  pawl_envelope_init(&candidates, lowest, highest);
  series->best[0] = -penalty;
  sum_up(series);
  for (size_t end = SHORTEST; end <= series->count; end++) {
    const size_t begin = end - SHORTEST; /* no segment ends within the first values */
    if (!begin || begin >= SHORTEST) {
      const struct pawl_parabola from = cost_from(series, begin);
      pawl_envelope_add(&candidates, &from);
    }
    series->last[end] = best_begin(series, &candidates, end, &least);
    series->best[end] = least + series->squares[end] + penalty;
  }
  pawl_envelope_release(&candidates);
  size_t segments = 0;
  for (size_t end = series->count; end; end = series->last[end])
    begins[segments++] = series->last[end];
  for (size_t i = 0; i < segments / 2; i++) {
    const size_t swapped = begins[i];
    begins[i] = begins[segments - 1 - i];
    begins[segments - 1 - i] = swapped;
  }
  begins[segments] = series->count;
  return segments;
}

/* Returns how much separate levels for the two segments beside a change shrink the squares of the
   innovations. The unit is squared standard deviations, as if these were known. */
static double strength(const struct series *series, const size_t *begins, size_t i) {
  const double together = cost(series, begins[i - 1], begins[i + 1]);
  const double apart =
      cost(series, begins[i - 1], begins[i]) + cost(series, begins[i], begins[i + 1]);
  const double degrees = (double)(series->count - 3);
  return degrees * log1p((together - apart) / innovation_variance(series) / degrees);
}

/* Returns the difference of the levels beside a change. Outliers do not move the medians. */
static double step_of(struct series *series, const size_t *begins, size_t i) {
  const double before =
      changepoint_median_of(series, series->logs + begins[i - 1], begins[i] - begins[i - 1]);
  return changepoint_median_of(series, series->logs + begins[i], begins[i + 1] - begins[i]) -
         before;
}

/* Returns the sum of squares around a level (`line` false) or around a straight line. */
static double squares_around(const struct series *series, size_t begin, size_t end, bool line) {
  const double count = (double)(end - begin), middle = (count - 1) / 2;
  double mean = 0, slope = 0, sum = 0;
  for (size_t i = begin; i < end; i++) mean += series->clipped[i] / count;
  for (size_t i = begin; line && i < end; i++)
    slope +=
        ((double)(i - begin) - middle) * series->clipped[i] * 12 / (count * (count * count - 1));
  for (size_t i = begin; i < end; i++) {
    const double away = series->clipped[i] - mean - slope * ((double)(i - begin) - middle);
    sum += away * away;
  }
  return sum;
}

/* Returns whether the series drifts: a straight line through both segments fits as well as two
   levels. */
static bool is_drift(const struct series *series, const size_t *begins, size_t i) {
  return squares_around(series, begins[i - 1], begins[i + 1], true) <=
         squares_around(series, begins[i - 1], begins[i], false) +
             squares_around(series, begins[i], begins[i + 1], false);
}

/* Returns the strength of a change. Drift is worth nothing, and neither are levels nearer than the
   noise. */
static double worth(struct series *series, const size_t *begins, size_t i) {
  const bool near = fabs(step_of(series, begins, i)) < STEP * series->noise.sd;
  return near || is_drift(series, begins, i) ? 0 : strength(series, begins, i);
}

/* Removes changes, the weakest first, until each remaining one is significant. */
static size_t take_out(struct series *series, size_t *begins, size_t segments) {
  while (segments > 1) {
    size_t weakest = 0;
    double least = INFINITY;
    for (size_t i = 1; i < segments; i++) {
      const double found = worth(series, begins, i);
      if (found >= least) continue;
      least = found;
      weakest = i;
    }
    if (least >= SURE) break;
    memmove(begins + weakest, begins + weakest + 1, (segments - weakest) * sizeof *begins);
    segments--;
  }
  return segments;
}

static void changepoint_describe(struct series *series, const double *values, const size_t *begins,
                                 size_t i, struct pawl_level_change *out) {
  out->index = begins[i];
  out->before = changepoint_median_of(series, values + begins[i - 1], begins[i] - begins[i - 1]);
  out->after = changepoint_median_of(series, values + begins[i], begins[i + 1] - begins[i]);
  out->size = out->after / out->before - 1;
  const double p = (double)series->count * erfc(sqrt(strength(series, begins, i) / 2));
  out->confidence = 1 - fmin(1, p);
}

size_t pawl_changepoints(const double *values, size_t count, struct pawl_level_change *out,
                         struct pawl_series_noise *noise) {
  const size_t skipped = count > PAWL_CHANGE_MOST ? count - PAWL_CHANGE_MOST : 0;
  struct series series = {.count = count - skipped};
  if (noise) *noise = (struct pawl_series_noise){(double)NAN, (double)NAN};
  if (count < PAWL_CHANGE_LEAST) return 0;
  const size_t room = series.count + 1;
  values += skipped;
  double *numbers = pawl_alloc(7 * room, sizeof *numbers);
  size_t *indices = pawl_alloc(2 * (room + 1), sizeof *indices), *begins = indices + room + 1;
  series.logs = numbers, series.clipped = numbers + room, series.sum = numbers + 2 * room;
  series.squares = numbers + 3 * room, series.best = numbers + 4 * room,
  series.room = numbers + 5 * room, series.inverse = numbers + 6 * room;
  series.last = indices;
  for (size_t i = 0; i < series.count; i++) series.logs[i] = log(values[i]);
  clip(&series);
  noise_of_differences(&series);
  size_t segments = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    if (pass) noise_of_residuals(&series, begins, segments);
    segments = partition(&series, begins);
  }
  segments = take_out(&series, begins, segments);
  for (size_t i = 1; i < segments; i++) {
    changepoint_describe(&series, values, begins, i, &out[i - 1]);
    out[i - 1].index += skipped;
  }
  if (noise) *noise = series.noise;
  pawl_free(numbers);
  pawl_free(indices);
  return segments - 1;
}
