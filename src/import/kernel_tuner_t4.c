/* SPDX-License-Identifier: Apache-2.0 */
/* T4, the results that Kernel Tuner and other tuners share: {schema_version, results:
   [{timestamp, configuration, times: {runtimes: [milliseconds]}, invalidity, measurements: [{name,
   value, unit}]}]}. A configuration is a case. The format names no kernel: the file's name stands
   for it.
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
                                                         const json_t *item,
                                                         struct pawl_error *err) {
  struct pawl_arena *arena = &feed->point;
  const json_t *times = json_object_get(item, "times");
  const char *invalidity = pawl_feed_text(arena, item, "invalidity");
  struct pawl_feed_point point = {
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

/* The time of the first result is that of the run. */
static pawl_status read_run_time(struct pawl_feed *feed, struct pawl_json_span results,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *item = NULL;
  struct pawl_json_span first;
  struct pawl_error none;
  if (pawl_json_span_next(&feed->text, results.begin + 1, &first, &none) != PAWL_OK ||
      !pawl_json_span_is_object(&feed->text, first))
    return PAWL_OK;
  PAWL_TRY(pawl_json_span_parse(&feed->text, first, &item, err));
  const long long when = pawl_feed_time(json_string_value(json_object_get(item, "timestamp")));
  if (when >= 0) feed->run.time = when;
  return PAWL_OK;
}

pawl_status pawl_feed_kernel_tuner_t4(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, results;
  PAWL_TRY(pawl_feed_start_list(feed, "results", &whole, &results, err));
  PAWL_TRY(read_run_time(feed, results, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  const char *slash = strrchr(feed->text.name, '/');
  char *kernel = pawl_arena_copy(&feed->arena, slash ? slash + 1 : feed->text.name);
  char *dot = strrchr(kernel, '.');
  if (dot && dot > kernel) *dot = '\0';
  return pawl_feed_each(feed, results, kernel_tuner_t4_take_result, kernel, err);
}
