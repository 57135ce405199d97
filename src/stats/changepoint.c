/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/rhythm.h"
#include "stats/sort.h"

#define HALF_WINDOW 5 /* values on each side of the running median */
#define CLIP 5.0      /* standard deviations from the median at which a value is clipped */
#define MOST_CORRELATION 0.95
#define LEAST_SD 1e-4 /* in logarithms: clocks tick, and tools round times */
#define SHORTEST 3    /* values of a segment */
#define COARSE 64     /* places that a search of a long interval tries before it looks nearer */
/* The differences give the noise of the first pass, the residuals of that pass the noise of the
   second. */
#define PASSES 2
#define HALF_SCALE 20 /* values on each side of a place that show the size of the noise there */
#define PRIOR 8.0     /* values that the noise of the whole series counts for beside them */
#define MEAN_OF_NORMAL 1.2533 /* standard deviation / mean absolute value */
/* The levels follow the noise, so it looks too little correlated, most in a short series. */
#define CORRELATION_ERRORS 0.7 /* standard errors that are added */
#define CORRELATION_EXTRA 10.0 /* divided by the number of values */

#define LARGEST_P 0.003
#define MODELS 3.0    /* one without a wave and two with one compete */
#define CANDIDATE 2.0 /* squared standard deviations of a candidate, times log(count) */
#define EARLY 18.0    /* squared standard deviations that a change of the first passes may lack */
#define STEP 1.0      /* standard deviations that a level must move */
/* The size of the noise is an estimate, so a change has the tail of a t distribution. */
#define FREEDOM 40.0      /* most degrees of freedom */
#define FREEDOM_FEW 8.0   /* the degrees of freedom of an empty segment */
#define FREEDOM_VALUE 2.0 /* more for each value of the shorter segment */
#define DRIFT_WINDOW 20   /* values on each side of a change that decide first */
#define DRIFT_MARGIN 4.0  /* variances: two levels must fit better than a line by these */
#define DRIFT_STEP 15.0   /* variances by which they fit clearly better */
#define WAVE 30.0         /* the price of a wave, besides 2 log(count) for its amplitudes */

/* A series under analysis, in logarithms, and sums that give the fits of segments. */
struct series {
  size_t count, outliers;          /* outliers: values that were clipped */
  double *clipped;                 /* without outliers */
  double *waves;                   /* the rhythm */
  double *values;                  /* clipped values without the rhythm */
  double *scale;                   /* standard deviation of the innovation at a place */
  double *room;                    /* for sorting, and for the noise */
  double *innovations;             /* y[t] - correlation * y[t - 1] */
  double *weights, *sums;          /* sums before i of 1 / scale^2, and of innovations / scale^2 */
  double *plain, *moment, *square; /* sums before i of y[t], t * y[t] and y[t]^2 */
  size_t *begins, segments;        /* the segments begin there; the last place is the count */
  struct pawl_rhythm rhythm;
  struct pawl_series_noise noise; /* the changes exceed it */
  struct pawl_series_noise left;  /* around the levels of the changes */
  double rough;                   /* the correlation that the differences show */
  double cost;                    /* minus twice the log likelihood of the model, and its prices */
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
  memcpy(window, series->values + begin, (end - begin) * sizeof *window);
  pawl_sort_doubles(window, end - begin);
  return pawl_median(window, end - begin);
}

/* Centres the clipped values on 0, because squares of large numbers lose significant digits. */
static void clip(struct series *series) {
  double *away = series->sums; /* not in use yet */
  double mean = 0;
  for (size_t i = 0; i < series->count; i++) {
    series->clipped[i] = running_median(series, i);
    away[i] = fabs(series->values[i] - series->clipped[i]);
  }
  const double limit =
      CLIP *
      fmax(LEAST_SD, PAWL_DEVIATION_OF_MAD * changepoint_median_of(series, away, series->count));
  for (size_t i = 0; i < series->count; i++) {
    series->outliers += away[i] > limit;
    series->clipped[i] += fmax(-limit, fmin(limit, series->values[i] - series->clipped[i]));
    mean += series->clipped[i] / (double)series->count;
  }
  for (size_t i = 0; i < series->count; i++) series->clipped[i] -= mean;
}

/* --- the noise --- */

/* Returns the mean square of the differences between values `lag` apart. Leaves out the largest,
   which contain the changes. */
static double square_of_differences(struct series *series, size_t lag) {
  const size_t count = series->count - lag, kept = count - count / 20;
  for (size_t i = 0; i < count; i++)
    series->room[i] = fabs(series->values[i + lag] - series->values[i]);
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

/* Returns the variance of the innovations, in variances of the series. */
static double innovation_share(const struct series *series) {
  return 1 - series->noise.correlation * series->noise.correlation;
}

/* Sets the size of the noise at each place from the innovations near it, which `room` has. */
static void set_scale(struct series *series) {
  const double whole = series->noise.sd * sqrt(innovation_share(series));
  double *sums = series->plain; /* weights and sums are still in use */
  sums[0] = 0;
  for (size_t i = 0; i < series->count; i++) sums[i + 1] = sums[i] + fabs(series->room[i]);
  for (size_t i = 0; i < series->count; i++) {
    const size_t begin = i > HALF_SCALE ? i - HALF_SCALE : 0;
    const size_t end = i + HALF_SCALE + 1 < series->count ? i + HALF_SCALE + 1 : series->count;
    const double number = (double)(end - begin);
    const double near = MEAN_OF_NORMAL * (sums[end] - sums[begin]) / number;
    series->scale[i] = sqrt((number * near * near + PRIOR * whole * whole) / (number + PRIOR));
  }
}

/* Estimates the noise from differences. The differences of values k apart in an AR(1) process have
   the mean square 2 sd^2 (1 - correlation^k). A step is no noise, so the largest are clipped. */
static void noise_of_differences(struct series *series) {
  const double one = square_of_differences(series, 1), two = square_of_differences(series, 2);
  const double correlation = one > 0 ? fmax(0, fmin(MOST_CORRELATION, two / one - 1)) : 0;
  set_noise(series, sqrt(one / (2 * (1 - correlation))), correlation);
  series->rough = series->noise.correlation;
  const double share = sqrt((1 + correlation) / 2), most = 4 * share * sqrt(one);
  for (size_t i = 1; i < series->count; i++) {
    const double innovation = share * (series->values[i] - series->values[i - 1]);
    series->room[i] = fmax(-most, fmin(most, innovation));
  }
  series->room[0] = series->room[1];
  set_scale(series);
}

/* Writes the residuals around the levels of the segments into `innovations`. */
static void residuals_of(struct series *series) {
  for (size_t s = 0; s < series->segments; s++) {
    const size_t begin = series->begins[s], end = series->begins[s + 1];
    double mean = 0;
    for (size_t i = begin; i < end; i++) mean += series->values[i];
    mean /= (double)(end - begin);
    for (size_t i = begin; i < end; i++) series->innovations[i] = series->values[i] - mean;
  }
}

/* Returns the correlation of successive residuals, in units of the noise at their place. */
static double correlation_of_residuals(const struct series *series, const double *away) {
  double squares = 0, products = 0;
  for (size_t s = 0; s < series->segments; s++)
    for (size_t i = series->begins[s]; i < series->begins[s + 1]; i++) {
      const double weight = 1 / (series->scale[i] * series->scale[i]);
      squares += away[i] * away[i] * weight;
      if (i > series->begins[s]) products += away[i] * away[i - 1] * weight;
    }
  const double count = (double)series->count, segments = (double)series->segments;
  const double raw = squares > 0 ? products / squares * count / fmax(1, count - segments) : 0;
  /* the mean of a segment follows its values, so the correlation looks too small: Kendall 1954 */
  const double found = raw + (1 + 3 * fmax(0, raw)) * segments / count;
  return found + CORRELATION_ERRORS * sqrt(fmax(0, 1 - found * found) / count) +
         CORRELATION_EXTRA / count;
}

/* Estimates the noise from the residuals. Leaves the innovations in `room`. */
static void noise_of_residuals(struct series *series) {
  const double *away = series->innovations;
  double squares = 0;
  residuals_of(series);
  for (size_t i = 0; i < series->count; i++) squares += away[i] * away[i];
  const double parameters = (double)series->segments + 2 * (double)series->rhythm.count;
  const double degrees = fmax(1, (double)series->count - parameters);
  set_noise(series, sqrt(squares / degrees), correlation_of_residuals(series, away));
  const double grow = sqrt((double)series->count / degrees);
  for (size_t i = 1; i < series->count; i++)
    series->room[i] = grow * (away[i] - series->noise.correlation * away[i - 1]);
  for (size_t s = 0; s < series->segments; s++)
    series->room[series->begins[s]] =
        grow * away[series->begins[s]] * sqrt(innovation_share(series));
  set_scale(series);
}

/* --- candidates --- */

static double weight_at(const struct series *series, size_t i) {
  return 1 / (series->scale[i] * series->scale[i]);
}

static void sum_up(struct series *series) {
  for (size_t i = 0; i < series->count; i++) {
    const double value = series->values[i], weight = weight_at(series, i);
    series->innovations[i] = i ? value - series->noise.correlation * series->values[i - 1] : value;
    series->weights[i + 1] = series->weights[i] + weight;
    series->sums[i + 1] = (i ? series->sums[i] : 0) + weight * series->innovations[i];
    series->plain[i + 1] = series->plain[i] + value;
    series->moment[i + 1] = series->moment[i] + value * (double)i;
    series->square[i + 1] = series->square[i] + value * value;
  }
  series->sums[0] = 0;
}

/* `gain`: how much a step at `index` shrinks the sum of squares of begin .. end - 1, in squared
   standard deviations */
struct split {
  size_t begin, index, end;
  double gain;
};

/* Keeps the best of the places first, first + stride .. last. In an AR(1) process around a level
   the innovations regress on 1 - correlation; a step adds a variable that is 1 at its place and 1 -
   correlation after it. The first value comes from the stationary distribution. */
static void try_splits(const struct series *series, size_t first, size_t last, size_t stride,
                       struct split *best) {
  const size_t begin = best->begin, end = best->end;
  const double step = 1 - series->noise.correlation;
  const double start =
      innovation_share(series) * (series->weights[begin + 1] - series->weights[begin]);
  const double level = start + step * step * (series->weights[end] - series->weights[begin + 1]);
  const double product =
      start * series->values[begin] + step * (series->sums[end] - series->sums[begin + 1]);
  for (size_t i = first; i <= last; i += stride) {
    const double weight = series->weights[i + 1] - series->weights[i];
    const double after = step * step * (series->weights[end] - series->weights[i + 1]);
    const double own = weight + after, shared = step * weight + after;
    const double moment =
        series->sums[i + 1] - series->sums[i] + step * (series->sums[end] - series->sums[i + 1]);
    const double above = moment * level - shared * product;
    const double gain = above * above / (level * (own * level - shared * shared));
    if (!(gain > best->gain)) continue;
    best->gain = gain;
    best->index = i;
  }
}

/* Finds the best place in a long interval among a few, then near that. */
static void find_split(const struct series *series, struct split *best) {
  const size_t first = best->begin + SHORTEST, last = best->end - SHORTEST;
  const size_t stride = 1 + (best->end - best->begin) / COARSE;
  try_splits(series, first, last, stride, best);
  if (stride == 1 || !(best->gain > 0)) return;
  const size_t near = best->index;
  try_splits(series, near > first + stride ? near - stride : first,
             near + stride < last ? near + stride : last, 1, best);
}

/* Moves a change to the best place between its neighbours. */
static void place_again(struct series *series, size_t i) {
  struct split split = {.begin = series->begins[i - 1], .end = series->begins[i + 1]};
  if (split.end - split.begin < 2 * SHORTEST) return;
  try_splits(series, split.begin + SHORTEST, split.end - SHORTEST, 1, &split);
  if (split.gain > 0) series->begins[i] = split.index;
}

static int compare_gain(const void *a, const void *b) {
  const double left = ((const struct split *)a)->gain, right = ((const struct split *)b)->gain;
  return (left < right) - (left > right);
}

/* Adds a change unless there is one in its interval already. */
static void add_change(struct series *series, const struct split *split) {
  size_t at = series->segments;
  for (size_t i = 1; i < series->segments; i++)
    if (series->begins[i] > split->begin && series->begins[i] < split->end) return;
  for (; series->begins[at - 1] > split->index; at--) series->begins[at] = series->begins[at - 1];
  series->begins[at] = split->index;
  series->begins[++series->segments] = series->count;
}

/* Finds candidates by seeded binary segmentation: the best place of each interval of a grid, the
   largest gain first. */
static void partition(struct series *series) {
  const double least = CANDIDATE * log((double)series->count);
  struct split *splits = NULL;
  size_t found = 0, capacity = 0;
  sum_up(series);
  for (size_t length = series->count; length >= 2 * SHORTEST; length = length * 5 / 8)
    for (size_t begin = 0, end = 0; end < series->count; begin += (length + 1) / 2) {
      end = begin + length < series->count ? begin + length : series->count;
      struct split split = {.begin = end - length, .end = end};
      find_split(series, &split);
      if (split.gain < least) continue;
      splits = pawl_grow(splits, found, &capacity, sizeof *splits);
      splits[found++] = split;
    }
  if (found) qsort(splits, found, sizeof *splits, compare_gain);
  series->segments = 1;
  series->begins[0] = 0;
  series->begins[1] = series->count;
  for (size_t i = 0; i < found; i++) add_change(series, &splits[i]);
  pawl_free(splits);
  for (size_t i = 1; i < series->segments; i++) place_again(series, i);
}

/* --- which candidates are changes --- */

/* Returns the strength at which p is LARGEST_P. */
static double least_strength(const struct series *series) {
  return 2 * log(MODELS * (double)series->count / LARGEST_P);
}

/* Returns what a change explains, in squared standard deviations of a normal distribution. A run of
   outliers explains a short segment: one value may be no outlier, and the others have the share of
   the outliers. */
static double strength_of(const struct series *series, size_t i) {
  const size_t at = series->begins[i];
  struct split split = {.begin = series->begins[i - 1], .end = series->begins[i + 1]};
  try_splits(series, at, at, 1, &split);
  const double shorter =
      (double)(at - split.begin < split.end - at ? at - split.begin : split.end - at);
  const double outliers = (double)(series->outliers + 1) / (double)series->count;
  const double degrees =
      fmin(FREEDOM_FEW + FREEDOM_VALUE * shorter, fmin(FREEDOM, (double)series->count - 3));
  return fmin(-2 * (shorter - 1) * log(outliers), degrees * log1p(split.gain / degrees));
}

/* Returns the sum of squares around a level. `less` is how much less it is around a straight
   line. */
static double squares_around(const struct series *series, size_t begin, size_t end, double *less) {
  const double count = (double)(end - begin), middle = (double)begin + (count - 1) / 2;
  const double sum = series->plain[end] - series->plain[begin];
  const double tilt = series->moment[end] - series->moment[begin] - middle * sum;
  *less = tilt * tilt * 12 / (count * (count * count - 1));
  return series->square[end] - series->square[begin] - sum * sum / count;
}

/* Returns how much better two levels fit the values within `half` of a change and within its
   segments than a straight line, in variances. */
static double better_than_line(const struct series *series, size_t i, size_t half) {
  const size_t at = series->begins[i];
  const size_t before = at - series->begins[i - 1], after = series->begins[i + 1] - at;
  const size_t begin = at - (before < half ? before : half);
  const size_t end = at + (after < half ? after : half);
  const double variance = series->scale[at] * series->scale[at] / innovation_share(series);
  double less, ignored;
  const double level = squares_around(series, begin, end, &less);
  return (level - less - squares_around(series, begin, at, &ignored) -
          squares_around(series, at, end, &ignored)) /
         variance;
}

/* Returns whether the series drifts there. The neighbourhood decides if it is clear, because the
   segments may have changes that are too weak to count. */
static bool is_drift(const struct series *series, size_t i) {
  const double near = better_than_line(series, i, DRIFT_WINDOW);
  if (near <= -DRIFT_MARGIN || near >= DRIFT_STEP) return near < 0;
  return better_than_line(series, i, series->count) <= DRIFT_MARGIN;
}

static double mean_of(const struct series *series, size_t begin, size_t end) {
  return (series->plain[end] - series->plain[begin]) / (double)(end - begin);
}

static double scale_of(const struct series *series, size_t begin, size_t end) {
  return sqrt((double)(end - begin) / (series->weights[end] - series->weights[begin]));
}

/* Returns the strength of a change. Drift is worth nothing, and neither are levels nearer than the
   noise of the quieter side. */
static double worth(const struct series *series, size_t i) {
  const size_t begin = series->begins[i - 1], at = series->begins[i], end = series->begins[i + 1];
  const double step = fabs(mean_of(series, at, end) - mean_of(series, begin, at));
  const double scale = fmin(scale_of(series, begin, at), scale_of(series, at, end));
  if (step * sqrt(innovation_share(series)) < STEP * scale) return 0;
  return is_drift(series, i) ? 0 : strength_of(series, i);
}

/* Removes changes, the weakest first, until each of the rest has the strength. */
static void take_out(struct series *series, double strength) {
  double *worths = series->room;
  for (size_t i = 1; i < series->segments; i++) worths[i] = worth(series, i);
  while (series->segments > 1) {
    size_t weakest = 1;
    for (size_t i = 2; i < series->segments; i++)
      if (worths[i] < worths[weakest]) weakest = i;
    if (worths[weakest] >= strength) break;
    const size_t later = series->segments - weakest;
    memmove(series->begins + weakest, series->begins + weakest + 1, later * sizeof *series->begins);
    memmove(worths + weakest, worths + weakest + 1, (later - 1) * sizeof *worths);
    series->segments--;
    for (size_t i = weakest > 1 ? weakest - 1 : 1; i <= weakest && i < series->segments; i++) {
      place_again(series, i);
      worths[i] = worth(series, i);
    }
  }
}

/* --- the model --- */

static void fit_rhythm(struct series *series, size_t segments) {
  pawl_rhythm_fit(&series->rhythm, series->clipped, series->count, series->begins, segments,
                  series->waves);
  for (size_t i = 0; i < series->count; i++)
    series->values[i] = series->clipped[i] - series->waves[i];
}

static void analyse(struct series *series) {
  fit_rhythm(series, 0);
  noise_of_differences(series);
  for (int pass = 0; pass < PASSES; pass++) {
    /* The first fit moves the frequencies, and the second is at the new ones. */
    for (int i = 0; pass && series->rhythm.count && i < 2; i++)
      fit_rhythm(series, series->segments);
    if (pass) noise_of_residuals(series);
    partition(series);
    take_out(series, least_strength(series) - EARLY);
  }
  take_out(series, least_strength(series));
  const struct pawl_series_noise decided = series->noise;
  noise_of_residuals(series);
  series->left = series->noise;
  series->noise = decided;
  const double wave = WAVE + 2 * log((double)series->count);
  series->cost =
      least_strength(series) * (double)(series->segments - 1) + wave * (double)series->rhythm.count;
  for (size_t i = 0; i < series->count; i++)
    series->cost +=
        2 * log(series->scale[i]) + series->room[i] * series->room[i] * weight_at(series, i);
}

#define ARRAYS 11
static void series_init(struct series *series, size_t count) {
  double *numbers = pawl_alloc(ARRAYS * (count + 1), sizeof *numbers);
  *series = (struct series){.count = count};
  double **const arrays[ARRAYS] = {&series->clipped, &series->waves, &series->values,
                                   &series->scale,   &series->room,  &series->innovations,
                                   &series->weights, &series->sums,  &series->plain,
                                   &series->moment,  &series->square};
  for (size_t i = 0; i < ARRAYS; i++) *arrays[i] = numbers + i * (count + 1);
  series->begins = pawl_alloc(count + 2, sizeof *series->begins);
}

static void series_release(struct series *series) {
  pawl_free(series->clipped);
  pawl_free(series->begins);
}

/* Replaces `best` by the model of `from` with one more wave if that costs less. */
static void try_wave(const struct series *from, double frequency, struct series *best) {
  struct series next;
  series_init(&next, from->count);
  memcpy(next.clipped, from->clipped, from->count * sizeof *next.clipped);
  next.outliers = from->outliers;
  next.rhythm = from->rhythm;
  next.rhythm.frequencies[next.rhythm.count++] = frequency;
  analyse(&next);
  if (next.cost < best->cost) {
    if (best->count) series_release(best);
    *best = next;
  } else {
    series_release(&next);
  }
}

/* Adds waves while the model gets cheaper. Changes hide a wave and a wave hides changes, so the
   wave may come from the values or from the residuals. Half a wave is a bent drift. Without changes
   a slow wave explains nothing. */
static void add_waves(struct series *series) {
  const double slow = 3 / (double)series->count;
  while (series->rhythm.count < PAWL_RHYTHM_MOST) {
    const double correlation = fmin(series->rough, series->left.correlation);
    const bool changes = series->segments > 1;
    const double frequency = pawl_rhythm_find(series->values, series->count, correlation);
    struct series best = {.cost = series->cost};
    if (changes || frequency > slow) try_wave(series, frequency, &best);
    if (changes) {
      const double other = pawl_rhythm_find(series->innovations, series->count, correlation);
      if (fabs(other - frequency) > slow / 12) try_wave(series, other, &best);
    }
    if (changes && !series->rhythm.count) try_wave(series, slow / 6, &best);
    if (!best.count) break;
    series_release(series);
    *series = best;
  }
}

static void changepoint_describe(struct series *series, const double *values, size_t i,
                                 struct pawl_level_change *out) {
  const size_t *begins = series->begins;
  out->index = begins[i];
  out->before = changepoint_median_of(series, values + begins[i - 1], begins[i] - begins[i - 1]);
  out->after = changepoint_median_of(series, values + begins[i], begins[i + 1] - begins[i]);
  out->size = out->after / out->before - 1;
  /* the tail of the normal distribution is below exp(-x^2 / 2) */
  const double p = MODELS * (double)series->count * exp(-strength_of(series, i) / 2);
  out->confidence = 1 - fmin(1, p);
}

/* A comparison of two commits sees the rhythm as noise. */
static double deviation_of_waves(const struct series *series) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < series->count; i++) {
    sum += series->waves[i];
    squares += series->waves[i] * series->waves[i];
  }
  const double count = (double)series->count;
  return sqrt(fmax(0, squares / count - sum / count * sum / count));
}

size_t pawl_changepoints(const double *values, size_t count, struct pawl_level_change *out,
                         struct pawl_series_noise *noise) {
  const size_t skipped = count > PAWL_CHANGE_MOST ? count - PAWL_CHANGE_MOST : 0;
  struct series series;
  if (noise) *noise = (struct pawl_series_noise){(double)NAN, (double)NAN};
  if (count < PAWL_CHANGE_LEAST) return 0;
  values += skipped;
  series_init(&series, count - skipped);
  for (size_t i = 0; i < series.count; i++) series.values[i] = log(values[i]);
  clip(&series);
  analyse(&series);
  add_waves(&series);
  for (size_t i = 1; i < series.segments; i++) {
    changepoint_describe(&series, values, i, &out[i - 1]);
    out[i - 1].index += skipped;
  }
  const size_t changes = series.segments - 1;
  if (noise) *noise = series.left;
  if (noise) noise->sd = hypot(noise->sd, deviation_of_waves(&series));
  series_release(&series);
  return changes;
}
