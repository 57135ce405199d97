/* SPDX-License-Identifier: Apache-2.0 */
/* JMH -rf json: [{benchmark, mode, threads, params: {name: value}, primaryMetric: {score,
   scoreUnit, rawData: [[score of each iteration] of each fork]}}]. A score in "ns/op" is a time.
   The reciprocal of a score in "ops/ms" is the time of an operation. In the history a method is a
   kernel; its parameters, threads and mode are the case. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"

static double score_seconds(const json_t *score, const struct pawl_import_unit *unit) {
  double value = json_is_number(score) ? json_number_value(score) : (double)NAN;
  return unit->is_rate ? unit->seconds / value : unit->seconds * value;
}

/* The percentiles of rates descend as times. */
static void add_figures(const json_t *metric, const struct pawl_import_unit *unit,
                        struct pawl_feed_point *out) {
  static const char *const keys[] = {"0.0",  "50.0",  "90.0",   "95.0",    "99.0",
                                     "99.9", "99.99", "99.999", "99.9999", "100.0"};
  const json_t *percentiles = json_object_get(metric, "scorePercentiles");
  for (size_t i = 0; i < PAWL_COUNT(keys); i++) {
    const char *key = keys[unit->is_rate ? PAWL_COUNT(keys) - 1 - i : i];
    pawl_feed_add_figure(out, key, score_seconds(json_object_get(percentiles, key), unit));
  }
  out->mean =
      (struct pawl_feed_figure){"score", score_seconds(json_object_get(metric, "score"), unit)};
}

/* The iterations. The mode "sample" has a histogram in their place, and its mean counts. */
static void read_scores(struct pawl_feed *feed, const json_t *metric,
                        struct pawl_feed_point *point) {
  const json_t *forks = json_object_get(metric, "rawData");
  const char *text = json_string_value(json_object_get(metric, "scoreUnit"));
  const struct pawl_import_unit unit = pawl_unit_read(text ? text : "", &feed->point);
  if (!(unit.seconds > 0) || (unit.is_rate && !pawl_starts_with(unit.name, "ops"))) {
    point->fault = pawl_arena_printf(
        &feed->point, "its 'scoreUnit' is '%.20s', neither a time nor operations per time",
        text ? text : "");
    return;
  }
  for (size_t i = 0; i < json_array_size(forks); i++) {
    const json_t *scores = json_array_get(forks, i);
    for (size_t j = 0; j < json_array_size(scores); j++)
      pawl_times_add(&point->times, score_seconds(json_array_get(scores, j), &unit), &feed->point);
  }
  add_figures(metric, &unit, point);
  if (!point->times.count) point->value = point->mean.seconds;
}

/* The same method runs in several modes, with several numbers of threads, on several parameters. */
static void make_names(const json_t *item, struct pawl_arena *arena, struct pawl_feed_point *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text rest = {0};
  const char *mode = json_string_value(json_object_get(item, "mode"));
  const char *params = pawl_feed_pairs(arena, json_object_get(item, "params"));
  const json_t *threads = json_object_get(item, "threads");
  if (params) pawl_text_printf(&rest, " [%s]", params);
  if (json_is_integer(threads) && json_integer_value(threads) > 1)
    pawl_text_printf(&rest, ", %lld threads", (long long)json_integer_value(threads));
  if (mode && strcmp(mode, "avgt") != 0) pawl_text_printf(&rest, ", %s", mode);
  out->kernel = pawl_feed_text(arena, item, "benchmark");
  out->name =
      pawl_arena_printf(arena, "%s%s", out->kernel ? out->kernel : "-", pawl_text_string(&rest));
  out->case_name = rest.length ? pawl_arena_copy(arena, rest.data + strspn(rest.data, ", ")) : NULL;
}

static enum pawl_status_code jmh_take_result(void *context, struct pawl_feed *feed,
                                             const json_t *item, struct pawl_error *err) {
  struct pawl_feed_point point = {.value = NAN};
  const json_t *metric = json_object_get(item, "primaryMetric");
  (void)context;
  make_names(item, &feed->point, &point);
  if (json_is_object(metric))
    read_scores(feed, metric, &point);
  else
    point.fault = "it has no 'primaryMetric'";
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_jmh(struct pawl_feed *feed, struct pawl_error *err) {
  return pawl_feed_list(feed, jmh_take_result, err);
}
