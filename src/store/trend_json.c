/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trend_json.h"

#include <math.h>

static json_t *point_to_json(const struct pawl_point *point) {
  json_t *row = json_object();
  pawl_json_set_int(row, "id", point->id);
  pawl_json_set_int(row, "time", point->time);
  pawl_json_set_string(row, "source", point->source);
  pawl_json_set_string(row, "commit", point->commit);
  pawl_json_set_string(row, "subject", point->subject);
  pawl_json_set_string(row, "branch", point->branch);
  pawl_json_set_bool(row, "dirty", point->dirty);
  pawl_json_set_string(row, "outcome", point->outcome);
  pawl_json_set_number(row, "value", point->value);
  pawl_json_set_number(row, "low", point->low);
  pawl_json_set_number(row, "high", point->high);
  pawl_json_set_string(row, "verdict", point->verdict);
  pawl_json_set_number(row, "change_pct", point->change_pct);
  pawl_json_set_number(row, "change_low_pct", point->change_low_pct);
  pawl_json_set_number(row, "change_high_pct", point->change_high_pct);
  pawl_json_set_string(row, "anchor", point->anchor);
  pawl_json_set_bool(row, "identical", point->identical);
  return row;
}

static json_t *change_to_json(const struct pawl_trend *trend,
                              const struct pawl_trend_change *found) {
  json_t *row = json_object();
  pawl_json_set_int(row, "point", found->point->id);
  pawl_json_set_int(row, "time", found->point->time);
  pawl_json_set_string(row, "commit", found->point->commit);
  pawl_json_set_string(row, "subject", found->point->subject);
  pawl_json_set_bool(row, "dirty", found->point->dirty);
  pawl_json_set_string(row, "previous_commit", found->previous->commit);
  pawl_json_set_number(row, "before", found->change.before);
  pawl_json_set_number(row, "after", found->change.after);
  pawl_json_set_number(row, "loss_pct",
                       pawl_trend_loss(trend->series, found->change.before, found->change.after));
  pawl_json_set_number(row, "confidence", found->change.confidence);
  return row;
}

static void series_into(const struct pawl_series *series, json_t *row) {
  pawl_json_set_string(row, "kernel_name", series->kernel_name);
  pawl_json_set_string(row, "case", series->case_name);
  pawl_json_set_string(row, "shape", series->shape);
  pawl_json_set_string(row, "hardware", series->hardware);
  pawl_json_set_string(row, "hardware_name", series->hardware_name);
  pawl_json_set_string(row, "unit", series->unit);
  pawl_json_set_bool(row, "bigger_is_better", series->bigger_is_better);
}

json_t *pawl_trend_to_json(const struct pawl_trend *trend, const bool *keep) {
  const struct pawl_series *series = trend->series;
  json_t *row = json_object(), *points = json_array(), *changes = json_array();
  series_into(series, row);
  pawl_json_set_number(row, "best", trend->best);
  for (size_t i = 0; i < trend->count; i++)
    if (!keep || keep[i]) json_array_append_new(points, point_to_json(&trend->points[i]));
  pawl_json_set(row, "points", points);
  for (size_t i = 0; i < trend->change_count; i++)
    json_array_append_new(changes, change_to_json(trend, &trend->changes[i]));
  pawl_json_set(row, "changes", changes);
  pawl_json_set_number(row, "noise_pct", trend->noise.sd * 100);
  return row;
}

json_t *pawl_trend_to_overview(const struct pawl_trend *trend) {
  const struct pawl_series *series = trend->series;
  const struct pawl_point *newest = pawl_trend_newest(trend);
  const double latest = trend->value_count ? trend->values[trend->value_count - 1] : NAN;
  const size_t changes = trend->change_count;
  json_t *row = json_object(), *recent = json_array();
  pawl_json_set_int(row, "id", series->id);
  series_into(series, row);
  pawl_json_set_int(row, "stored", series->points);
  pawl_json_set_int(row, "last_time", series->last_time);
  pawl_json_set_number(row, "latest", latest);
  pawl_json_set_bool(row, "uncommitted", trend->uncommitted);
  pawl_json_set_number(row, "best", trend->best);
  pawl_json_set_number(row, "loss_pct", pawl_trend_loss(series, trend->best, latest));
  pawl_json_set_string(row, "outcome", newest ? newest->outcome : NULL);
  pawl_json_set_string(row, "verdict", newest ? newest->verdict : NULL);
  pawl_json_set(row, "change",
                changes ? change_to_json(trend, &trend->changes[changes - 1]) : NULL);
  for (size_t i = 0; i < trend->value_count; i++)
    json_array_append_new(recent, json_real(trend->values[i]));
  pawl_json_set(row, "recent", recent);
  return row;
}

json_t *pawl_beside_to_json(const struct pawl_beside *beside) {
  json_t *row = json_object();
  pawl_json_set_int(row, "series", beside->series);
  pawl_json_set_string(row, "kernel_name", beside->kernel_name);
  pawl_json_set_string(row, "role", beside->role);
  pawl_json_set_number(row, "value", beside->value);
  pawl_json_set_int(row, "time", beside->time);
  return row;
}

json_t *pawl_move_to_json(const struct pawl_baseline_move *move) {
  json_t *row = json_object();
  pawl_json_set_string(row, "kind", pawl_move_kind_name(move->kind));
  pawl_json_set_number(row, "from_ms", move->from_ms);
  pawl_json_set_number(row, "to_ms", move->to_ms);
  pawl_json_set_string(row, "git_commit", move->git_commit);
  pawl_json_set_string(row, "timestamp", move->timestamp);
  pawl_json_set_string(row, "reason", move->reason);
  return row;
}
