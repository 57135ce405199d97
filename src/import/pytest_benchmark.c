/* SPDX-License-Identifier: Apache-2.0 */
/* pytest-benchmark --benchmark-json: {benchmarks: [{stats: {median, data: [seconds]}}]}. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"

/* The data, which --benchmark-save-data keeps; else the median. */
static pawl_status read_times(const json_t *stats, const char *name, struct pawl_arena *arena,
                              struct pawl_times *times, struct pawl_error *err) {
  const json_t *data = json_object_get(stats, "data");
  if (!json_is_object(stats))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a benchmark without 'stats'", name);
  if (json_array_size(data)) return pawl_times_add_array(times, data, 1, name, arena, err);
  double median;
  PAWL_TRY(pawl_json_get_number(stats, "median", name, -1, &median, err));
  return pawl_times_add(times, median, name, arena, err);
}

/* The full name says which file and class the test is in, from the folder that pytest calls its
 * root. */
pawl_status pawl_import_pytest_benchmark(const json_t *document, struct pawl_benchmark_list *list,
                                         struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  if (!json_is_array(benchmarks))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", list->file);
  for (size_t i = 0; i < json_array_size(benchmarks); i++) {
    const json_t *item = json_array_get(benchmarks, i);
    const char *name, *full;
    struct pawl_times times = {0};
    PAWL_TRY(pawl_json_get_string(item, "name", list->file, NULL, &name, err));
    PAWL_TRY(pawl_json_get_string(item, "fullname", list->file, name, &full, err));
    PAWL_TRY(read_times(json_object_get(item, "stats"), list->file, list->arena, &times, err));
    PAWL_TRY(pawl_benchmark_list_add(list, full, &times, err));
  }
  return PAWL_OK;
}

/* --- into the history: a test is a kernel, what stands in its brackets is the case --- */

static enum pawl_status_code feed_benchmark(void *context, struct pawl_json_span key,
                                            struct pawl_json_span value, struct pawl_error *err) {
  struct pawl_feed *feed = context;
  PAWL_CLEANUP(pawl_json_release) json_t *item = NULL;
  struct pawl_times times = {0};
  struct pawl_feed_point point = {.position = value.begin};
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&feed->text, value, &item, err));
  const json_t *stats = json_object_get(item, "stats"), *data = json_object_get(stats, "data");
  if (!json_is_object(stats))
    return pawl_json_span_fail(&feed->text, value.begin, err, "a benchmark without 'stats'");
  if (json_array_size(data)) {
    if (pawl_times_add_array(&times, data, 1, "'data'", &feed->point, err) != PAWL_OK)
      return pawl_json_span_fail(&feed->text, value.begin, err, "%s", err->message);
  } else {
    const json_t *median = json_object_get(stats, "median");
    point.value = json_is_number(median) ? json_number_value(median) : (double)NAN;
  }
  char *name = (char *)(uintptr_t)pawl_feed_text(&feed->point, item, "fullname");
  if (!name) name = (char *)(uintptr_t)pawl_feed_text(&feed->point, item, "name");
  char *bracket = name ? strchr(name, '[') : NULL;
  if (bracket && name[strlen(name) - 1] == ']') {
    name[strlen(name) - 1] = '\0';
    *bracket = '\0';
    point.case_name = bracket + 1;
  }
  point.kernel = name;
  point.seconds = times.seconds;
  point.count = times.count;
  return pawl_feed_add(feed, &point, err);
}

/* commit_info, machine_info and datetime. */
static pawl_status read_head(struct pawl_feed *feed, struct pawl_json_span whole,
                             struct pawl_error *err) {
  static const char *const names[] = {"commit_info", "machine_info", "datetime"};
  PAWL_CLEANUP(pawl_json_release) json_t *head = json_object();
  struct pawl_arena *arena = &feed->arena;
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    struct pawl_json_span span;
    json_t *value;
    PAWL_TRY(pawl_json_span_member(&feed->text, whole, names[i], &span, err));
    if (span.begin == span.end) continue;
    PAWL_TRY(pawl_json_span_parse(&feed->text, span, &value, err));
    pawl_json_set(head, names[i], value);
  }
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
  PAWL_TRY(read_head(feed, whole, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_json_span_each(&feed->text, benchmarks, feed_benchmark, feed, err);
}
