/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trend.h"

#include <math.h>

#include "base/memory.h"

void pawl_trend_find_changes(struct pawl_trend *trend, struct pawl_arena *arena) {
  struct pawl_level_change *found = pawl_arena_alloc(arena, trend->value_count + 1, sizeof *found);
  trend->change_count = pawl_changepoints(trend->values, trend->value_count, found, &trend->noise);
  trend->changes = pawl_arena_alloc(arena, trend->change_count, sizeof *trend->changes);
  for (size_t i = 0; i < trend->change_count; i++)
    trend->changes[i] = (struct pawl_trend_change){
        .change = found[i],
        .point = &trend->points[trend->places[found[i].index]],
        .previous = &trend->points[trend->places[found[i].index - 1]],
        .loss_pct = pawl_trend_loss(trend->series, found[i].before, found[i].after)};
}

/* Keeps the least and the largest of the figures first .. end, and the newest without a value. */
static void keep_extremes(const struct pawl_figure *figures, size_t first, size_t end, bool *keep) {
  size_t lowest = end, highest = end, empty = end;
  for (size_t i = first; i < end; i++) {
    const double value = figures[i].value;
    if (isnan(value)) {
      empty = i;
      continue;
    }
    if (lowest == end || value < figures[lowest].value) lowest = i;
    if (highest == end || value > figures[highest].value) highest = i;
  }
  if (lowest < end) keep[lowest] = keep[highest] = true;
  if (empty < end) keep[empty] = true;
}

#define KEPT_OF_A_BUCKET 3

void pawl_trend_thin(const struct pawl_figure *figures, size_t count, size_t limit, bool *keep) {
  const size_t buckets = limit / KEPT_OF_A_BUCKET ? limit / KEPT_OF_A_BUCKET : 1;
  for (size_t i = 0; i < count; i++) keep[i] = count <= limit;
  for (size_t i = 0; i < buckets && count > limit; i++)
    keep_extremes(figures, count * i / buckets, count * (i + 1) / buckets, keep);
  if (count) keep[0] = keep[count - 1] = true;
}

/* Takes the values of committed trees, or those of the others. */
static void take_values(struct pawl_trend *trend, bool dirty) {
  for (size_t i = 0; i < trend->count; i++) {
    const struct pawl_point *point = &trend->points[i];
    if (!(point->value > 0) || point->dirty != dirty) continue;
    trend->places[trend->value_count] = i;
    trend->values[trend->value_count++] = point->value;
  }
}

pawl_status pawl_trend_read(struct pawl_store *store, const struct pawl_series *series,
                            const struct pawl_point_choice *choice, struct pawl_arena *arena,
                            struct pawl_trend *out, struct pawl_error *err) {
  struct pawl_trend trend = {.series = series, .best = NAN};
  PAWL_TRY(
      pawl_store_point_list(store, series->id, choice, arena, &trend.points, &trend.count, err));
  trend.places = pawl_arena_alloc(arena, trend.count, sizeof *trend.places);
  trend.values = pawl_arena_alloc(arena, trend.count, sizeof *trend.values);
  take_values(&trend, false);
  if (!trend.value_count) take_values(&trend, true);
  trend.uncommitted = trend.value_count && trend.points[trend.places[0]].dirty;
  PAWL_TRY(pawl_store_best(store, series, choice->branch, &trend.best, err));
  *out = trend;
  return PAWL_OK;
}

const struct pawl_point *pawl_trend_newest(const struct pawl_trend *trend) {
  for (size_t i = trend->count; i > 0; i--)
    if (!trend->points[i - 1].dirty) return &trend->points[i - 1];
  return trend->count ? &trend->points[trend->count - 1] : NULL;
}

double pawl_trend_loss(const struct pawl_series *series, double before, double after) {
  return (series->bigger_is_better ? before / after - 1 : after / before - 1) * 100;
}
