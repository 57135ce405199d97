/* SPDX-License-Identifier: Apache-2.0 */
/* pytest-benchmark --benchmark-json: {benchmarks: [{stats: {median, data: [seconds]}}]}. The full
   name says in which file and class the test is. In the history a test is a kernel, and the
   parameters in its brackets are the case. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"

/* The name in two: "x.py::test_a[1]" is the kernel "x.py::test_a" on the case "1". */
static void split_name(struct pawl_arena *arena, struct pawl_feed_point *point) {
  char *kernel = pawl_arena_copy(arena, point->name),
       *bracket = kernel ? strchr(kernel, '[') : NULL;
  point->kernel = kernel;
  if (!bracket || kernel[strlen(kernel) - 1] != ']') return;
  kernel[strlen(kernel) - 1] = '\0';
  *bracket = '\0';
  point->case_name = bracket + 1;
}

static enum pawl_status_code pytest_benchmark_take_benchmark(void *context, struct pawl_feed *feed,
                                                             const json_t *item,
                                                             struct pawl_error *err) {
  static const char *const figures[] = {"min", "q1", "median", "q3", "max", NULL};
  const json_t *stats = json_object_get(item, "stats"), *data = json_object_get(stats, "data");
  struct pawl_feed_point point = {.name = pawl_feed_text(&feed->point, item, "fullname"),
                                  .failure = pawl_feed_reason(item, "has_error", "its test failed"),
                                  .value = NAN};
  (void)context;
  if (!point.name) point.name = pawl_feed_text(&feed->point, item, "name");
  split_name(&feed->point, &point);
  pawl_feed_figures(&point, stats, figures, "mean", 1);
  if (!json_is_object(stats)) {
    point.fault = "it has no 'stats'";
  } else if (json_array_size(data)) { /* --benchmark-save-data keeps it */
    pawl_times_add_array(&point.times, data, 1, &feed->point);
  } else {
    point.value = pawl_feed_number(stats, "median");
  }
  return pawl_feed_add(feed, &point, err);
}

static pawl_status pytest_benchmark_read_head(struct pawl_feed *feed, struct pawl_json_span whole,
                                              struct pawl_error *err) {
  static const char *const names[] = {"commit_info", "machine_info", "datetime"};
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  struct pawl_arena *arena = &feed->arena;
  PAWL_TRY(pawl_feed_members(feed, whole, names, PAWL_COUNT(names), &head, err));
  const json_t *commit = json_object_get(head, "commit_info"),
               *machine = json_object_get(head, "machine_info");
  const char *node = pawl_feed_text(arena, machine, "node");
  const char *cpu = pawl_feed_text(arena, json_object_get(machine, "cpu"), "brand_raw");
  pawl_feed_commit(feed, json_string_value(json_object_get(commit, "id")));
  feed->run.dirty = json_is_true(json_object_get(commit, "dirty"));
  if (json_is_string(json_object_get(commit, "branch")))
    feed->run.branch = pawl_feed_text(arena, commit, "branch");
  feed->run.commit_time = pawl_feed_time(json_string_value(json_object_get(commit, "time")));
  const long long when = pawl_feed_time(json_string_value(json_object_get(head, "datetime")));
  if (when >= 0) feed->run.time = when;
  if (cpu || node)
    feed->run.hardware = pawl_arena_printf(arena, "%.120s%s%.120s", node ? node : "",
                                           node && cpu ? ", " : "", cpu ? cpu : "");
  feed->run.hardware_name = cpu ? cpu : node;
  return PAWL_OK;
}

pawl_status pawl_feed_pytest_benchmark(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, benchmarks;
  PAWL_TRY(pawl_feed_start_list(feed, "benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(pytest_benchmark_read_head(feed, whole, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, benchmarks, pytest_benchmark_take_benchmark, NULL, err);
}
