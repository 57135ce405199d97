/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trend_json.h"

#include <math.h>
#include <stdlib.h>

#include "model/result.h"

#define ROW(type, name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct type, member), __VA_ARGS__ }

static const char *outcome_name(int number) { return pawl_outcome_name((enum pawl_outcome)number); }
#define OUTCOMES .name_of = outcome_name, .names = PAWL_OUTCOMES

#define POINT(...) ROW(pawl_point, __VA_ARGS__)
static const struct pawl_field point_rows[] = {
    POINT("id", INTEGER, id),
    POINT("time", INTEGER, time),
    POINT("source", STRING, source),
    POINT("commit", STRING, commit),
    POINT("subject", STRING, subject),
    POINT("branch", STRING, branch),
    POINT("dirty", FLAG, dirty),
    POINT("outcome", STRING, outcome, OUTCOMES),
    POINT("value", NUMBER, value),
    POINT("low", NUMBER, low),
    POINT("high", NUMBER, high),
    POINT("verdict", STRING, verdict),
    POINT("change_pct", NUMBER, change_pct),
    POINT("change_low_pct", NUMBER, change_low_pct),
    POINT("change_high_pct", NUMBER, change_high_pct),
    POINT("anchor", STRING, anchor),
    POINT("identical", FLAG, identical),
};
static const struct pawl_fields point_fields = PAWL_FIELDS(point_rows, struct pawl_point, NULL);

static const struct pawl_field changed_rows[] = {
    POINT("point", INTEGER, id),     POINT("time", INTEGER, time),
    POINT("commit", STRING, commit), POINT("subject", STRING, subject),
    POINT("dirty", FLAG, dirty),
};
static const struct pawl_fields changed_fields = PAWL_FIELDS(changed_rows, struct pawl_point, NULL);
static const struct pawl_field previous_rows[] = {POINT("previous_commit", STRING, commit)};
static const struct pawl_fields previous_fields =
    PAWL_FIELDS(previous_rows, struct pawl_point, NULL);

#define CHANGE(...) ROW(pawl_trend_change, __VA_ARGS__)
static const struct pawl_field change_rows[] = {
    CHANGE("point", BESIDE, point, .table = &changed_fields),
    CHANGE("previous_commit", BESIDE, previous, .table = &previous_fields),
    CHANGE("before", NUMBER, change.before),
    CHANGE("after", NUMBER, change.after),
    CHANGE("loss_pct", NUMBER, loss_pct),
    CHANGE("confidence", NUMBER, change.confidence),
};
static const struct pawl_fields change_fields =
    PAWL_FIELDS(change_rows, struct pawl_trend_change, NULL);

#define SERIES(...) ROW(pawl_series, __VA_ARGS__)
static const struct pawl_field series_rows[] = {
    SERIES("kernel_name", STRING, kernel_name),
    SERIES("case", STRING, case_name),
    SERIES("shape", STRING, shape),
    SERIES("hardware", STRING, hardware),
    SERIES("hardware_name", STRING, hardware_name),
    SERIES("unit", STRING, unit),
    SERIES("bigger_is_better", FLAG, bigger_is_better),
};
static const struct pawl_fields series_fields = PAWL_FIELDS(series_rows, struct pawl_series, NULL);

#define TREND(...) ROW(pawl_trend, __VA_ARGS__)
#define TREND_LIST(name, rule, member, number, ...) \
  TREND(name, rule, member, offsetof(struct pawl_trend, number), __VA_ARGS__)
static const struct pawl_field trend_rows[] = {
    TREND("kernel_name", BESIDE, series, .table = &series_fields),
    TREND("best", NUMBER, best),
    TREND_LIST("points", LIST, points, count, .table = &point_fields),
    TREND_LIST("changes", LIST, changes, change_count, .table = &change_fields),
    TREND("noise_pct", NUMBER, noise.sd, .scale = 100),
};
const struct pawl_fields pawl_trend_fields = PAWL_FIELDS(trend_rows, struct pawl_trend, NULL);

json_t *pawl_trend_to_json(const struct pawl_trend *trend, const bool *keep) {
  if (!keep) return pawl_struct_write(&pawl_trend_fields, trend);
  struct pawl_trend shown = *trend;
  shown.points = calloc(trend->count + 1, sizeof *shown.points);
  PAWL_ASSERT(shown.points);
  shown.count = 0;
  for (size_t i = 0; i < trend->count; i++)
    if (keep[i]) shown.points[shown.count++] = trend->points[i];
  json_t *row = pawl_struct_write(&pawl_trend_fields, &shown);
  free(shown.points);
  return row;
}

/* --- the overview --- */

struct overview_row {
  const struct pawl_series *series;
  const struct pawl_point *newest;
  const struct pawl_trend_change *change;
  double latest, best, loss_pct, *recent;
  size_t recent_count;
  bool uncommitted;
};

static const struct pawl_field stored_rows[] = {
    SERIES("id", INTEGER, id),
    {NULL, PAWL_FIELD_INSIDE, 0, .table = &series_fields},
    SERIES("stored", INTEGER, points),
    SERIES("last_time", INTEGER, last_time),
};
static const struct pawl_fields stored_fields = PAWL_FIELDS(stored_rows, struct pawl_series, NULL);
static const struct pawl_field newest_rows[] = {
    POINT("outcome", STRING, outcome, OUTCOMES),
    POINT("verdict", STRING, verdict),
};
static const struct pawl_fields newest_fields = PAWL_FIELDS(newest_rows, struct pawl_point, NULL);

#define OVERVIEW(...) ROW(overview_row, __VA_ARGS__)
static const struct pawl_field overview_rows[] = {
    OVERVIEW("id", BESIDE, series, .table = &stored_fields),
    OVERVIEW("latest", NUMBER, latest),
    OVERVIEW("uncommitted", FLAG, uncommitted),
    OVERVIEW("best", NUMBER, best),
    OVERVIEW("loss_pct", NUMBER, loss_pct),
    OVERVIEW("outcome", BESIDE, newest, .table = &newest_fields),
    OVERVIEW("change", OBJECT, change, .table = &change_fields),
    OVERVIEW("recent", NUMBERS, recent, offsetof(struct overview_row, recent_count)),
};
const struct pawl_fields pawl_overview_fields =
    PAWL_FIELDS(overview_rows, struct overview_row, NULL);

json_t *pawl_trend_to_overview(const struct pawl_trend *trend) {
  const size_t values = trend->value_count, changes = trend->change_count;
  const double latest = values ? trend->values[values - 1] : (double)NAN;
  const struct overview_row row = {
      .series = trend->series,
      .newest = pawl_trend_newest(trend),
      .change = changes ? &trend->changes[changes - 1] : NULL,
      .latest = latest,
      .best = trend->best,
      .loss_pct = pawl_trend_loss(trend->series, trend->best, latest),
      .recent = trend->values,
      .recent_count = values,
      .uncommitted = trend->uncommitted,
  };
  return pawl_struct_write(&pawl_overview_fields, &row);
}

/* --- the kernels beside a series --- */

#define BESIDE(...) ROW(pawl_beside, __VA_ARGS__)
static const struct pawl_field beside_rows[] = {
    BESIDE("series", INTEGER, series), BESIDE("kernel_name", STRING, kernel_name),
    BESIDE("role", STRING, role),      BESIDE("value", NUMBER, value),
    BESIDE("time", INTEGER, time),
};
const struct pawl_fields pawl_beside_fields = PAWL_FIELDS(beside_rows, struct pawl_beside, NULL);
