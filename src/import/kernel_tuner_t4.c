/* SPDX-License-Identifier: Apache-2.0 */
/* T4, the results that Kernel Tuner and other tuners share: {schema_version, results:
   [{configuration, times: {runtimes: [milliseconds]}, invalidity, measurements: [{name, value,
   unit}]}]}. A configuration is a case. The format names no kernel: the file's name stands for it.
 */
#include <math.h>
#include <string.h>

#include "import/import.h"

/* The measurement "time", for a result without runtimes. */
static double measured_time(const json_t *result) {
  const json_t *list = json_object_get(result, "measurements"), *item;
  size_t i;
  json_array_foreach(list, i, item) {
    const char *name = json_string_value(json_object_get(item, "name"));
    const char *unit = json_string_value(json_object_get(item, "unit"));
    if (!name || strcmp(name, "time") != 0) continue;
    return pawl_feed_number(item, "value") * pawl_unit_seconds(unit && *unit ? unit : "ms");
  }
  return NAN;
}

static enum pawl_status_code kernel_tuner_t4_take_result(void *context, struct pawl_feed *feed,
                                                         const json_t *item, size_t position,
                                                         struct pawl_error *err) {
  struct pawl_arena *arena = &feed->point;
  const json_t *times = json_object_get(item, "times");
  const char *invalidity = pawl_feed_text(arena, item, "invalidity");
  struct pawl_feed_point point = {
      .position = position,
      .kernel = context,
      .case_name = pawl_feed_pairs(arena, json_object_get(item, "configuration")),
      .value = measured_time(item)};
  if (invalidity && !strcmp(invalidity, "constraints"))
    point.skipped = "a constraint excludes it";
  else if (invalidity && strcmp(invalidity, "correct") != 0)
    point.failure = pawl_arena_printf(arena, "invalidity: %s", invalidity);
  pawl_times_add_array(&point.times, json_object_get(times, "runtimes"), 1e-3, arena);
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_kernel_tuner_t4(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, results;
  PAWL_TRY(pawl_feed_start_list(feed, "results", &whole, &results, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  const char *slash = strrchr(feed->text.name, '/');
  char *kernel = pawl_arena_copy(&feed->arena, slash ? slash + 1 : feed->text.name);
  char *dot = strrchr(kernel, '.');
  if (dot && dot > kernel) *dot = '\0';
  return pawl_feed_each(feed, results, kernel_tuner_t4_take_result, kernel, err);
}
