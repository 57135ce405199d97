/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/space_features.h"

#include <math.h>

/* the largest / smallest value from which a parameter has a logarithmic scale */
#define LOG_RANGE 4.0

static bool is_power_of_two(uint64_t value) { return (value & (value - 1)) == 0; }

static double trailing_zeros(uint64_t value) { return (double)__builtin_ctzll(value); }

static bool is_whole(double value) { return value >= 1 && value < 0x1p53 && value == floor(value); }

/* The kind of an axis' values. */
struct kind {
  double smallest, largest;
  bool whole;  /* all values are positive whole numbers */
  bool rugged; /* and some of them are no powers of two */
};

static struct kind kind_of(const struct pawl_tune_axis *axis) {
  struct kind kind = {.smallest = INFINITY, .largest = -INFINITY, .whole = true};
  for (size_t i = 0; i < axis->count; i++) {
    const double value = axis->values[i].number;
    kind.smallest = fmin(kind.smallest, value);
    kind.largest = fmax(kind.largest, value);
    kind.whole = kind.whole && is_whole(value);
  }
  for (size_t i = 0; kind.whole && i < axis->count; i++)
    kind.rugged = kind.rugged || !is_power_of_two((uint64_t)axis->values[i].number);
  return kind;
}

static double space_features_place_of(const struct kind *kind, size_t count, double value) {
  if (!(kind->largest > kind->smallest)) return 0;
  if (count > 2 && kind->smallest > 0 && kind->largest / kind->smallest >= LOG_RANGE)
    return log2(value / kind->smallest) / log2(kind->largest / kind->smallest);
  return (value - kind->smallest) / (kind->largest - kind->smallest);
}

static float *add_column(struct pawl_features *features, struct pawl_feature_axis *axis, bool word,
                         bool derived) {
  float *place = pawl_arena_alloc(&features->arena, axis->level_count, sizeof *place);
  axis->columns[axis->column_count++] = (struct pawl_feature_column){place, word, derived};
  return place;
}

/* Each value is a level if there are few. If there are many, near numbers share a level, and words
   share one by their order. */
static uint8_t *number_levels(struct pawl_features *features, const struct pawl_tune_axis *values,
                              const struct kind *kind, struct pawl_feature_axis *axis) {
  uint8_t *level_of = pawl_arena_alloc(&features->arena, values->count, sizeof *level_of);
  const bool few = values->count <= PAWL_FEATURE_MOST_LEVELS;
  axis->level_count = few ? values->count : PAWL_FEATURE_MOST_LEVELS;
  for (size_t i = 0; i < values->count; i++) {
    const double share =
        values->ordinal ? space_features_place_of(kind, values->count, values->values[i].number)
                        : (double)i / (double)(values->count - 1);
    level_of[i] = few ? (uint8_t)i : (uint8_t)lrint(share * (PAWL_FEATURE_MOST_LEVELS - 1));
  }
  axis->level_of_value = level_of;
  return level_of;
}

static void add_axis(struct pawl_features *features, size_t index) {
  const struct pawl_tune_axis *values = &features->space->axes[index];
  const struct kind kind = values->ordinal ? kind_of(values) : (struct kind){0};
  struct pawl_feature_axis *axis = &features->axes[features->axis_count++];
  axis->axis = index;
  const uint8_t *level_of = number_levels(features, values, &kind, axis);
  float *place = add_column(features, axis, !values->ordinal, false), *power = NULL, *zeros = NULL;
  const bool derive = values->ordinal && kind.whole && kind.rugged && values->count > 2;
  if (derive) power = add_column(features, axis, false, true);
  if (derive) zeros = add_column(features, axis, false, true);
  double most_zeros = 1;
  for (size_t i = 0; derive && i < values->count; i++)
    most_zeros = fmax(most_zeros, trailing_zeros((uint64_t)values->values[i].number));
  for (size_t i = 0; i < values->count; i++) {
    const uint8_t level = level_of[i];
    const double number = values->values[i].number;
    place[level] = (float)(values->ordinal ? space_features_place_of(&kind, values->count, number)
                                           : (double)level);
    if (!derive) continue;
    power[level] = is_power_of_two((uint64_t)number);
    zeros[level] = (float)(trailing_zeros((uint64_t)number) / most_zeros);
  }
}

void pawl_features_init(struct pawl_features *features, const struct pawl_space *space) {
  *features = (struct pawl_features){.space = space};
  for (size_t i = 0; i < space->axis_count; i++) {
    if (space->axes[i].count > 1) add_axis(features, i);
  }
}

void pawl_features_release(struct pawl_features *features) {
  if (features) pawl_arena_clear(&features->arena);
}

void pawl_features_levels(const struct pawl_features *features, size_t index, uint8_t *out) {
  const uint16_t *indices = pawl_space_at(features->space, index);
  for (size_t i = 0; i < features->axis_count; i++)
    out[i] = features->axes[i].level_of_value[indices[features->axes[i].axis]];
}

double pawl_features_round(const struct pawl_features *features, const uint8_t *levels) {
  double round = 0, count = 0;
  for (size_t i = 0; i < features->axis_count; i++) {
    if (features->axes[i].column_count < 2) continue;
    round += features->axes[i].columns[1].place[levels[i]] > 0;
    count++;
  }
  return count > 0 ? round / count : 1;
}
