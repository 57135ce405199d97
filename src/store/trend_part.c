/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trend_part.h"

#include "base/memory.h"
#include "store/series_summary.h"

static bool trend_part_chosen(const struct pawl_point_choice *choice, int64_t time) {
  return (!choice->from || time >= choice->from) && (!choice->to || time <= choice->to);
}

static const struct pawl_point *point_of(const struct pawl_trend *trend, int64_t id) {
  for (size_t i = 0; i < trend->count; i++)
    if (trend->points[i].id == id) return &trend->points[i];
  return NULL;
}

/* Leaves out a change whose points somebody has just removed. */
static void set_changes(const struct pawl_series_summary *summary, struct pawl_arena *arena,
                        struct pawl_trend *trend) {
  trend->changes = pawl_arena_alloc(arena, summary->change_count, sizeof *trend->changes);
  for (size_t i = 0; i < summary->change_count; i++) {
    const struct pawl_series_change *found = &summary->changes[i];
    const struct pawl_point *point = point_of(trend, found->point),
                            *previous = point_of(trend, found->previous);
    if (!point || !previous) continue;
    trend->changes[trend->change_count++] =
        (struct pawl_trend_change){.change = found->change, .point = point, .previous = previous};
  }
}

/* Collects the ids of the figures that stay, and of the points beside the changes. */
static int64_t *trend_part_collect(const struct pawl_figure *figures, const bool *keep,
                                   size_t figure_count, const struct pawl_series_summary *summary,
                                   struct pawl_arena *arena, size_t *count) {
  int64_t *ids = pawl_arena_alloc(arena, figure_count + 2 * summary->change_count, sizeof *ids);
  *count = 0;
  for (size_t i = 0; i < figure_count; i++)
    if (keep[i]) ids[(*count)++] = figures[i].id;
  for (size_t i = 0; i < summary->change_count; i++) {
    ids[(*count)++] = summary->changes[i].previous;
    ids[(*count)++] = summary->changes[i].point;
  }
  return ids;
}

pawl_status pawl_trend_read_part(struct pawl_store *store, const struct pawl_series *series,
                                 const struct pawl_point_choice *choice, size_t limit,
                                 struct pawl_arena *arena, struct pawl_trend_part *out,
                                 struct pawl_error *err) {
  struct pawl_series_summary summary;
  struct pawl_figure *figures;
  size_t figure_count, id_count;
  PAWL_TRY(pawl_store_figures(store, series->id, choice, arena, &figures, &figure_count, err));
  const struct pawl_branch_figures all = {figures, figure_count};
  const bool whole = !choice->from && !choice->to;
  PAWL_TRY(pawl_series_summary_read(store, series, choice->branch, whole ? &all : NULL, arena,
                                    &summary, err));
  bool *keep = pawl_arena_alloc(arena, figure_count, sizeof *keep);
  pawl_trend_thin(figures, figure_count, limit, keep);
  const int64_t *ids = trend_part_collect(figures, keep, figure_count, &summary, arena, &id_count);
  struct pawl_trend_part part = {
      .stored = summary.points,
      .trend = {.series = series, .best = summary.best, .noise = summary.noise}};
  PAWL_TRY(pawl_store_points_by_id(store, ids, id_count, arena, &part.trend.points,
                                   &part.trend.count, err));
  part.keep = pawl_arena_alloc(arena, part.trend.count, sizeof *part.keep);
  for (size_t i = 0; i < part.trend.count; i++)
    part.keep[i] = trend_part_chosen(choice, part.trend.points[i].time);
  set_changes(&summary, arena, &part.trend);
  *out = part;
  return PAWL_OK;
}
