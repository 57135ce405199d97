/* SPDX-License-Identifier: Apache-2.0 */
/* How well are changes found? changepoints [SEED]: F1 on 240 series with known changes in four
   kinds of noise, alarms on series without any, the time for 3000 points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "stats/changepoint.h"
#include "stats/variates.h"

enum noise { IID, OUTLIERS, TWO_MODES, CORRELATED, NOISES, DRIFT = NOISES, ALL_NOISES };
static const char *const noise_names[ALL_NOISES] = {"iid 1 %", "3 % outliers", "two modes",
                                                    "AR(1) 0.8", "1 % and drift"};

#define PROMISED_F1 0.975
#define PROMISED_WORST 0.93
#define PROMISED_ALARMS 0.5 /* for 1000 pushes */

#define SERIES_EACH 60
#define LENGTH 200
#define MARGIN 5
#define SPACING 20 /* values between changes, and to the ends */
#define MOST_CHANGES 4
#define SMALLEST 0.03
#define LARGEST 0.15

/* A series of times around 1 with the changes at `at`. */
static void draw_noise(struct pawl_random *random, enum noise kind, double *values, size_t count) {
  double state = 0.01 * pawl_draw_normal(random);
  for (size_t i = 0; i < count; i++) {
    const double normal = pawl_draw_normal(random);
    switch (kind) {
      case IID: values[i] *= 1 + 0.01 * normal; break;
      case OUTLIERS:
        values[i] *= 1 + 0.01 * normal;
        if (pawl_random_double(random) < 0.03)
          values[i] *= 1.05 + 0.10 * pawl_random_double(random);
        break;
      case TWO_MODES:
        values[i] *= 1 + 0.01 * normal;
        if (pawl_random_double(random) < 0.2) values[i] *= 1.03;
        break;
      case CORRELATED:
        state = 0.8 * state + 0.006 * normal; /* a standard deviation of 1 % */
        values[i] *= 1 + state;
        break;
      case DRIFT:
        values[i] *= (1 + 0.01 * normal) * (1 + 0.05 * (double)i / (double)count);
        break; /* 5 % in all */
      case ALL_NOISES: break;
    }
  }
}

static size_t draw_levels(struct pawl_random *random, double *values, size_t count, size_t *index) {
  const size_t changes = pawl_random_below(random, MOST_CHANGES + 1);
  size_t made = 0;
  while (made < changes) {
    const size_t place = SPACING + pawl_random_below(random, (uint32_t)(count - 2 * SPACING));
    bool free_place = true;
    for (size_t i = 0; i < made; i++)
      free_place =
          free_place && (place > index[i] ? place - index[i] : index[i] - place) >= SPACING;
    if (free_place) index[made++] = place;
  }
  for (size_t i = 0; i < made; i++)
    for (size_t j = i + 1; j < made; j++)
      if (index[j] < index[i]) {
        const size_t swapped = index[i];
        index[i] = index[j];
        index[j] = swapped;
      }
  double level = 1;
  for (size_t i = 0, next = 0; i < count; i++) {
    if (next < made && index[next] == i) {
      const double size = SMALLEST + (LARGEST - SMALLEST) * pawl_random_double(random);
      level *= pawl_random_below(random, 2) ? 1 + size : 1 - size;
      next++;
    }
    values[i] = level;
  }
  return made;
}

struct score {
  size_t hits, false_ones, missed;
};

static double f1(const struct score *score) {
  return 2 * (double)score->hits / (double)(2 * score->hits + score->false_ones + score->missed);
}

/* Each true change takes the nearest found one within the margin that no other has. */
static void count_hits(const size_t *truth, size_t truths, const struct pawl_level_change *found,
                       size_t count, struct score *score) {
  bool used[LENGTH] = {false};
  size_t hits = 0;
  for (size_t i = 0; i < truths; i++) {
    size_t best = count, least = MARGIN + 1;
    for (size_t j = 0; j < count; j++) {
      const size_t away =
          found[j].index > truth[i] ? found[j].index - truth[i] : truth[i] - found[j].index;
      if (used[j] || away >= least) continue;
      least = away;
      best = j;
    }
    if (best == count) continue;
    used[best] = true;
    hits++;
  }
  score->hits += hits;
  score->missed += truths - hits;
  score->false_ones += count - hits;
}

static bool measure_f1(uint64_t seed) {
  struct score all = {0};
  double worst = 1;
  for (int kind = 0; kind < NOISES; kind++) {
    struct score score = {0};
    for (uint64_t i = 0; i < SERIES_EACH; i++) {
      struct pawl_random random = pawl_random_init(seed, (uint64_t)kind << 32 | i);
      double values[LENGTH];
      size_t truth[MOST_CHANGES];
      struct pawl_level_change found[LENGTH];
      const size_t truths = draw_levels(&random, values, LENGTH, truth);
      draw_noise(&random, (enum noise)kind, values, LENGTH);
      const size_t count = pawl_changepoints(values, LENGTH, found, NULL);
      count_hits(truth, truths, found, count, &score);
    }
    printf("%-14s F1 %.3f  hits %zu, false %zu, missed %zu\n", noise_names[kind], f1(&score),
           score.hits, score.false_ones, score.missed);
    worst = fmin(worst, f1(&score));
    all.hits += score.hits, all.false_ones += score.false_ones, all.missed += score.missed;
  }
  printf("all            F1 %.3f, worst %.3f\n", f1(&all), worst);
  return f1(&all) >= PROMISED_F1 && worst >= PROMISED_WORST;
}

#define PUSHES 300
#define HISTORIES 100
#define RECENT 10

/* Finds the last change within the newest `recent` values. Returns false if there is none. */
static bool newest_change(const double *values, size_t count, size_t recent,
                          struct pawl_level_change *out) {
  struct pawl_level_change *changes = pawl_alloc(count + 1, sizeof *changes);
  const size_t found = pawl_changepoints(values, count, changes, NULL);
  const bool is_new = found && changes[found - 1].index + recent >= count;
  if (is_new) *out = changes[found - 1];
  pawl_free(changes);
  return is_new;
}

/* A push is an alarm when a change near its end appears that no push before has shown. */
static bool measure_alarms(uint64_t seed) {
  bool kept = true;
  for (int kind = 0; kind < ALL_NOISES; kind++) {
    size_t alarms = 0;
    for (uint64_t i = 0; i < HISTORIES; i++) {
      struct pawl_random random =
          pawl_random_init(seed, UINT64_C(0xaa) << 56 | (uint64_t)kind << 32 | i);
      double values[PUSHES];
      for (int j = 0; j < PUSHES; j++) values[j] = 1;
      draw_noise(&random, (enum noise)kind, values, PUSHES);
      size_t known = 0;
      for (size_t j = 1; j <= PUSHES; j++) {
        struct pawl_level_change change;
        if (!newest_change(values, j, RECENT, &change)) continue;
        if (!known || change.index > known + MARGIN) alarms++;
        known = change.index;
      }
    }
    const double rate = (double)alarms * 1000 / (PUSHES * HISTORIES);
    printf("%-14s %.3f alarms per 1000 pushes\n", noise_names[kind], rate);
    kept = kept && rate <= PROMISED_ALARMS;
  }
  return kept;
}

static void measure_time(uint64_t seed) {
  enum { POINTS = 3000, RUNS = 5 };
  struct pawl_level_change *found = pawl_alloc(POINTS, sizeof *found);
  double *values = pawl_alloc(POINTS, sizeof *values);
  for (int kind = 0; kind < NOISES; kind++) {
    struct pawl_random random = pawl_random_init(seed, UINT64_C(0xbb) << 56 | (uint64_t)kind);
    for (int i = 0; i < POINTS; i++) values[i] = 1;
    draw_noise(&random, (enum noise)kind, values, POINTS);
    double least = INFINITY;
    for (int i = 0; i < RUNS; i++) {
      const int64_t begin = pawl_clock_ns();
      pawl_changepoints(values, POINTS, found, NULL);
      least = fmin(least, pawl_seconds_since(begin));
    }
    printf("%-14s %.1f ms for %d points\n", noise_names[kind], least * 1e3, POINTS);
  }
  pawl_free(values);
  pawl_free(found);
}

int main(int argc, char **argv) {
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const bool check = argc > 2 && !strcmp(argv[2], "--check");
  const bool found = measure_f1(seed), quiet = measure_alarms(seed);
  if (!check) measure_time(seed);
  return check && !(found && quiet);
}
