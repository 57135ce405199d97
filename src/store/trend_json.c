/* SPDX-License-Identifier: Apache-2.0 */
#include "store/trend_json.h"

#include "model/result.h"

#define ROW(type, name, rule, member, ...) \
  { name, PAWL_FIELD_##rule, offsetof(struct type, member), __VA_ARGS__ }

#define OUTCOMES .name_of = pawl_outcome_word, .names = PAWL_OUTCOMES

#define POINT(...) ROW(pawl_point, __VA_ARGS__)
static const struct pawl_field point_rows[] = {
    POINT("id", INTEGER, id),
    POINT("at", INTEGER, at),
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
    POINT("limit_pct", NUMBER, limit_pct),
    POINT("anchor", STRING, anchor),
    POINT("identical", FLAG, identical),
    POINT("on_line", FLAG, line),
    POINT("place_value", NUMBER, place_value),
    POINT("place_runs", INTEGER, place_runs),
};
static const struct pawl_fields point_fields = PAWL_FIELDS(point_rows, struct pawl_point, NULL);

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
static const struct pawl_field trend_rows[] = {
    TREND("kernel_name", BESIDE, series, .table = &series_fields),
    {NULL, PAWL_FIELD_INSIDE, offsetof(struct pawl_trend, summary),
     .table = &pawl_series_summary_fields},
    TREND("points", LIST, points, offsetof(struct pawl_trend, count), .table = &point_fields),
};
const struct pawl_fields pawl_trend_fields = PAWL_FIELDS(trend_rows, struct pawl_trend, NULL);

/* --- the overview --- */

static const struct pawl_field stored_rows[] = {
    SERIES("id", INTEGER, id),
    {NULL, PAWL_FIELD_INSIDE, 0, .table = &series_fields},
    SERIES("stored", INTEGER, points),
    SERIES("last_time", INTEGER, last_time),
};
static const struct pawl_fields stored_fields = PAWL_FIELDS(stored_rows, struct pawl_series, NULL);

#define OVERVIEW(...) ROW(pawl_overview_row_document, __VA_ARGS__)
static const struct pawl_field overview_rows[] = {
    OVERVIEW("id", BESIDE, series, .table = &stored_fields),
    {NULL, PAWL_FIELD_INSIDE, offsetof(struct pawl_overview_row_document, summary),
     .table = &pawl_series_summary_fields},
    OVERVIEW("attention", STRING, attention),
};
const struct pawl_fields pawl_overview_fields =
    PAWL_FIELDS(overview_rows, struct pawl_overview_row_document, NULL);

/* --- the kernels beside a series --- */

#define BESIDE(...) ROW(pawl_beside, __VA_ARGS__)
static const struct pawl_field beside_rows[] = {
    BESIDE("series", INTEGER, series), BESIDE("kernel_name", STRING, kernel_name),
    BESIDE("role", STRING, role),      BESIDE("value", NUMBER, value),
    BESIDE("time", INTEGER, time),
};
const struct pawl_fields pawl_beside_fields = PAWL_FIELDS(beside_rows, struct pawl_beside, NULL);
