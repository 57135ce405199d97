/* SPDX-License-Identifier: Apache-2.0 */
/* vitest bench --outputJson: {files: [{filepath, groups: [{fullName, benchmarks: [{name, median,
   mean, samples}]}]}]}, times in milliseconds. The median stands for the samples where the file has
   none. A group is a kernel, a benchmark its case. */
#include <math.h>

#include "import/import.h"

#define MILLISECOND 1e-3

static pawl_status take_bench(struct pawl_feed *feed, const json_t *group, const json_t *bench,
                              struct pawl_error *err) {
  static const char *const figures[] = {"min", "median", "p75", "p99", "p995", "p999", "max", NULL};
  struct pawl_arena *arena = &feed->point;
  const double median = pawl_feed_number(bench, "median"), mean = pawl_feed_number(bench, "mean");
  struct pawl_feed_point point = {.kernel = pawl_feed_text(arena, group, "fullName"),
                                  .case_name = pawl_feed_text(arena, bench, "name"),
                                  .failure = pawl_feed_reason(bench, "error", "vitest: it failed"),
                                  .value = (isnan(median) ? mean : median) * MILLISECOND};
  pawl_times_add_array(&point.times, json_object_get(bench, "samples"), MILLISECOND, arena);
  pawl_feed_figures(&point, bench, figures, "mean", MILLISECOND);
  if (!point.times.count && isnan(point.value)) point.fault = PAWL_FEED_NO_TIMES;
  return pawl_feed_add(feed, &point, err);
}

static enum pawl_status_code take_file(void *context, struct pawl_feed *feed, const json_t *item,
                                       struct pawl_error *err) {
  const json_t *groups = json_object_get(item, "groups"), *group, *bench;
  size_t i, j;
  (void)context;
  json_array_foreach(groups, i, group) json_array_foreach(
      json_object_get(group, "benchmarks"), j, bench) PAWL_TRY(take_bench(feed, group, bench, err));
  return PAWL_OK;
}

pawl_status pawl_feed_vitest(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, files;
  PAWL_TRY(pawl_feed_start_list(feed, "files", &whole, &files, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, files, take_file, NULL, err);
}
