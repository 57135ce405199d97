/* SPDX-License-Identifier: Apache-2.0 */
/* mitata, format "json": {benchmarks: [{alias, runs: [{name, args, stats: {p50, avg, samples},
   error}]}]}, times in nanoseconds. Its median stands for the samples where the file has none. */
#include <math.h>

#include "import/import.h"

#define NANOSECOND 1e-9

static const char *run_error(struct pawl_arena *arena, const json_t *run) {
  const json_t *error = json_object_get(run, "error");
  const char *message = pawl_feed_text(arena, error, "message");
  if (!error || json_is_null(error) || json_is_false(error)) return NULL;
  if (json_is_string(error)) return pawl_arena_copy(arena, json_string_value(error));
  return message ? message : "mitata says that it failed";
}

static enum pawl_status_code mitata_take_benchmark(void *context, struct pawl_feed *feed,
                                                   const json_t *item, struct pawl_error *err) {
  const json_t *runs = json_object_get(item, "runs"), *run;
  size_t i;
  (void)context;
  if (!json_array_size(runs)) {
    const struct pawl_feed_point none = {.kernel = pawl_feed_text(&feed->point, item, "alias"),
                                         .fault = "it has no runs"};
    return pawl_feed_add(feed, &none, err);
  }
  static const char *const figures[] = {"min", "p25", "p50", "p75", "p99", "p999", "max", NULL};
  json_array_foreach(runs, i, run) {
    struct pawl_arena *arena = &feed->point;
    const json_t *stats = json_object_get(run, "stats"),
                 *samples = json_object_get(stats, "samples");
    const double median = pawl_feed_number(stats, "p50");
    struct pawl_feed_point point = {
        .kernel = pawl_feed_text(arena, item, "alias"),
        .case_name = pawl_feed_pairs(arena, json_object_get(run, "args")),
        .failure = run_error(arena, run)};
    point.name = pawl_feed_text(arena, run, "name");
    if (!point.kernel) point.kernel = point.name;
    pawl_times_add_array(&point.times, samples, NANOSECOND, arena);
    point.value = (isnan(median) ? pawl_feed_number(stats, "avg") : median) * NANOSECOND;
    pawl_feed_figures(&point, stats, figures, "avg", NANOSECOND);
    PAWL_TRY(pawl_feed_add(feed, &point, err));
  }
  return PAWL_OK;
}

pawl_status pawl_feed_mitata(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, benchmarks;
  PAWL_TRY(pawl_feed_start_list(feed, "benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, benchmarks, mitata_take_benchmark, NULL, err);
}
