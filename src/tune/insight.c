/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/insight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/sort.h"
#include "tune/surrogate.h"

double pawl_tune_ratio(const struct pawl_tune_candidate *candidate) {
  if (candidate->outcome != PAWL_OUTCOME_OK) return NAN;
  if (candidate->same_as && !strcmp(candidate->same_as, PAWL_TUNE_CURRENT)) return 1;
  return candidate->median_ms / candidate->base_ms;
}

static bool is_timed_on_all(const struct pawl_tune_candidate *candidate) {
  for (size_t i = 0; i < candidate->time_count; i++)
    if (!(candidate->times[i].median_ms > 0 && candidate->times[i].base_ms > 0)) return false;
  return true;
}

static double insight_median_of(const struct pawl_tune_base_time *times, size_t count,
                                bool on_all) {
  double *chosen = pawl_alloc(count + 1, sizeof *chosen);
  size_t chosen_count = 0;
  for (size_t i = 0; i < count; i++)
    if (times[i].on_all || !on_all) chosen[chosen_count++] = times[i].ms;
  pawl_sort_doubles(chosen, chosen_count);
  const double median = pawl_median(chosen, chosen_count);
  pawl_free(chosen);
  return median;
}

double pawl_tune_scale(const struct pawl_tune_base_time *times, size_t count) {
  const double median = insight_median_of(times, count, true);
  return median > 0 ? median : insight_median_of(times, count, false);
}

double pawl_tune_current_ms(const struct pawl_tune *tune) {
  struct pawl_tune_base_time *times = pawl_alloc(tune->count + 1, sizeof *times);
  size_t count = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    if (candidate->outcome != PAWL_OUTCOME_OK ||
        !(candidate->median_ms > 0 && candidate->base_ms > 0))
      continue;
    times[count++] = (struct pawl_tune_base_time){candidate->base_ms, is_timed_on_all(candidate)};
  }
  const double scale = pawl_tune_scale(times, count);
  pawl_free(times);
  return scale;
}

bool pawl_tune_was_compared(const struct pawl_tune_candidate *candidate) {
  for (size_t i = 0; i < candidate->time_count; i++)
    if (candidate->times[i].checked) return true;
  return candidate->checked;
}

/* Gives a search all candidates, and returns the number that works. */
static size_t tell_all(const struct pawl_tune *tune, struct pawl_search *search) {
  size_t working = 0;
  for (size_t i = 0; i < tune->count; i++) {
    const double ratio = pawl_tune_ratio(&tune->candidates[i]);
    pawl_search_tell(search, tune->candidates[i].index, ratio);
    working += isfinite(ratio) ? 1 : 0;
  }
  return working;
}

/* Sums of log time over the space: the total, and for each value of an axis. */
struct sums {
  double sum, squares;
  size_t count;
  double **by_value; /* [axis][value] */
  size_t **counts;
  /* a candidate with the value works; the model knows too little about other values */
  bool **works;
  bool **
      /* a candidate with the value was compared and right: a value that is always wrong cannot
         be the best */
      correct;
};

static struct sums add_up(const struct pawl_tune *tune, const struct pawl_surrogate *surrogate,
                          struct pawl_arena *arena) {
  const struct pawl_space *space = tune->space;
  struct sums sums = {0};
  sums.works = pawl_arena_alloc(arena, space->axis_count, sizeof *sums.works);
  sums.correct = pawl_arena_alloc(arena, space->axis_count, sizeof *sums.correct);
  sums.by_value = pawl_arena_alloc(arena, space->axis_count, sizeof *sums.by_value);
  sums.counts = pawl_arena_alloc(arena, space->axis_count, sizeof *sums.counts);
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    sums.by_value[axis] = pawl_arena_alloc(arena, space->axes[axis].count, sizeof **sums.by_value);
    sums.works[axis] = pawl_arena_alloc(arena, space->axes[axis].count, sizeof **sums.works);
    sums.correct[axis] = pawl_arena_alloc(arena, space->axes[axis].count, sizeof **sums.correct);
    sums.counts[axis] = pawl_arena_alloc(arena, space->axes[axis].count, sizeof **sums.counts);
  }
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *candidate = &tune->candidates[i];
    for (size_t axis = 0; axis < space->axis_count; axis++) {
      const uint16_t value = pawl_space_at(space, candidate->index)[axis];
      sums.works[axis][value] |= isfinite(pawl_tune_ratio(candidate));
      sums.correct[axis][value] |=
          isfinite(pawl_tune_ratio(candidate)) && pawl_tune_was_compared(candidate);
    }
  }
  for (size_t axis = 0; tune->current_in_space && axis < space->axis_count; axis++) {
    const uint16_t value = pawl_space_at(space, tune->current_index)[axis];
    sums.works[axis][value] = sums.correct[axis][value] = true;
  }
  for (size_t i = 0; i < space->count; i++) {
    double log_time, deviation;
    if (!pawl_surrogate_predict(surrogate, i, &log_time, &deviation)) continue;
    const uint16_t *levels = pawl_space_at(space, i);
    sums.sum += log_time;
    sums.squares += log_time * log_time;
    sums.count++;
    for (size_t axis = 0; axis < space->axis_count; axis++) {
      sums.by_value[axis][levels[axis]] += log_time;
      sums.counts[axis][levels[axis]]++;
    }
  }
  return sums;
}

static struct pawl_tune_effect effect_of(const struct pawl_space *space, const struct sums *sums,
                                         size_t axis) {
  struct pawl_tune_effect effect = {.axis = axis};
  const double all = (double)sums->count, mean = sums->sum / all;
  const double total = sums->squares / all - mean * mean;
  double smallest = INFINITY, largest = -INFINITY, explained = 0;
  for (size_t value = 0; value < space->axes[axis].count; value++) {
    const size_t count = sums->counts[axis][value];
    if (!count || !sums->works[axis][value]) continue;
    const double here = sums->by_value[axis][value] / (double)count;
    explained += (double)count / all * (here - mean) * (here - mean);
    if (sums->correct[axis][value] && here < smallest) {
      effect.best = (uint16_t)value;
      smallest = here;
    }
    if (here > largest) effect.worst = (uint16_t)value;
    largest = fmax(largest, here);
  }
  effect.share = total > 0 ? explained / total : 0;
  effect.ratio = isfinite(smallest) ? exp(largest - smallest) : NAN;
  return effect;
}

static int insight_by_share(const void *a, const void *b) {
  const struct pawl_tune_effect *left = a, *right = b;
  if (left->share != right->share) return left->share > right->share ? -1 : 1;
  return left->axis < right->axis ? -1 : left->axis > right->axis;
}

void pawl_tune_learn(const struct pawl_tune *tune, struct pawl_arena *arena,
                     struct pawl_tune_insight *out) {
  const struct pawl_space *space = tune->space;
  struct pawl_search search;
  struct pawl_error ignored = {0};
  *out = (struct pawl_tune_insight){0};
  if (pawl_search_init(&search, space, "exhaustive", tune->seed, &ignored) != PAWL_OK) return;
  if (tell_all(tune, &search) >= PAWL_INSIGHT_LEAST) {
    struct pawl_surrogate *surrogate = pawl_surrogate_new(&search, PAWL_RESPONSE_LOG_TIME);
    pawl_surrogate_learn(surrogate, &search);
    const struct sums sums = add_up(tune, surrogate, arena);
    out->effects = pawl_arena_alloc(arena, space->axis_count, sizeof *out->effects);
    for (size_t axis = 0; axis < space->axis_count; axis++)
      if (space->axes[axis].count > 1) out->effects[out->count++] = effect_of(space, &sums, axis);
    qsort(out->effects, out->count, sizeof *out->effects, insight_by_share);
    pawl_surrogate_free(surrogate);
  }
  pawl_search_release(&search);
}
