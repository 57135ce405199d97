/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trend.h"

#include <math.h>

#include "base/memory.h"
#include "store/place.h"
#include "store/places.h"

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

/* Keeps the chosen figures at the front of the list, in order. */
static size_t trend_choose(struct pawl_figure *figures, size_t count,
                           const struct pawl_trend_choice *choice) {
  size_t chosen = 0;
  for (size_t i = 0; i < count; i++) {
    const int64_t at = pawl_place_seconds(figures[i].place);
    if ((choice->others || figures[i].line) && (!choice->from || at >= choice->from) &&
        (!choice->to || at <= choice->to))
      figures[chosen++] = figures[i];
  }
  return chosen;
}

/* Lists the ids of the figures that the choice and the picture keep. */
static int64_t *trend_list_ids(const struct pawl_figure *figures, size_t count,
                               const struct pawl_trend_choice *choice, struct pawl_arena *arena,
                               size_t *id_count) {
  const size_t skipped = choice->newest && count > choice->newest ? count - choice->newest : 0;
  const size_t rest = count - skipped;
  bool *keep = pawl_arena_alloc(arena, rest, sizeof *keep);
  int64_t *ids = pawl_arena_alloc(arena, rest, sizeof *ids);
  pawl_trend_thin(figures + skipped, rest, choice->limit ? choice->limit : rest, keep);
  *id_count = 0;
  for (size_t i = 0; i < rest; i++)
    if (keep[i]) ids[(*id_count)++] = figures[skipped + i].id;
  return ids;
}

/* Gives each point of the line the figures of its commit. */
static void set_places(struct pawl_trend *trend, const struct pawl_figure *figures, size_t count,
                       const struct pawl_places *places) {
  size_t at = 0;
  for (size_t i = 0; i < trend->count; i++) {
    struct pawl_point *point = &trend->points[i];
    while (at < count && figures[at].id != point->id) at++; /* both are in the same order */
    if (at == count) break;
    point->line = figures[at].line;
    const struct pawl_place_runs *found =
        point->line ? pawl_places_find(places, figures[at].place) : NULL;
    if (!found || point->dirty != places->uncommitted) continue;
    point->place_value = found->value;
    point->place_runs = found->runs;
  }
}

pawl_status pawl_trend_read(struct pawl_store *store, const struct pawl_series *series,
                            const struct pawl_trend_choice *choice, struct pawl_arena *arena,
                            struct pawl_trend *out, struct pawl_error *err) {
  struct pawl_trend trend = {.series = series};
  struct pawl_figure *figures;
  struct pawl_places places;
  size_t count, id_count;
  PAWL_TRY(pawl_series_summary_read(store, series, choice->branch, arena, &trend.summary, err));
  PAWL_TRY(pawl_store_figures(store, series->id, choice->branch, arena, &figures, &count, err));
  pawl_places_of(figures, count, arena, &places);
  count = trend_choose(figures, count, choice);
  const int64_t *ids = trend_list_ids(figures, count, choice, arena, &id_count);
  PAWL_TRY(pawl_store_points_by_id(store, ids, id_count, arena, &trend.points, &trend.count, err));
  set_places(&trend, figures, count, &places);
  *out = trend;
  return PAWL_OK;
}
