/* SPDX-License-Identifier: Apache-2.0 */
/* BenchmarkDotNet's JSON exports, full and brief: {HostEnvironmentInfo: {ProcessorName},
   Benchmarks: [{FullName, Type, Method, Parameters, Statistics: {OriginalValues, Median}}]}, times
   in nanoseconds. A benchmark that failed has null for its statistics. The method is a kernel, its
   parameters are the case. */

#include "base/count.h"
#include "import/import.h"

#define NANOSECOND 1e-9

static enum pawl_status_code benchmarkdotnet_take_benchmark(void *context, struct pawl_feed *feed,
                                                            const json_t *item,
                                                            struct pawl_error *err) {
  static const char *const figures[] = {"Min", "Q1", "Median", "Q3", "Max", NULL};
  struct pawl_arena *arena = &feed->point;
  const json_t *statistics = json_object_get(item, "Statistics");
  const char *type = json_string_value(json_object_get(item, "Type"));
  const char *method = json_string_value(json_object_get(item, "Method"));
  const char *parameters = pawl_feed_text(arena, item, "Parameters");
  struct pawl_feed_point point = {.name = pawl_feed_text(arena, item, "FullName"),
                                  .value = pawl_feed_number(statistics, "Median") * NANOSECOND};
  (void)context;
  if (parameters && *parameters) point.case_name = parameters;
  point.kernel = type && method ? pawl_arena_printf(arena, "%s.%s", type, method) : point.name;
  if (!json_is_object(statistics)) point.failure = "BenchmarkDotNet has no statistics of it";
  pawl_times_add_array(&point.times, json_object_get(statistics, "OriginalValues"), NANOSECOND,
                       arena);
  pawl_feed_figures(&point, statistics, figures, "Mean", NANOSECOND);
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_benchmarkdotnet(struct pawl_feed *feed, struct pawl_error *err) {
  static const char *const names[] = {"HostEnvironmentInfo"};
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  struct pawl_json_span whole, benchmarks;
  PAWL_TRY(pawl_feed_start_list(feed, "Benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(pawl_feed_members(feed, whole, names, PAWL_COUNT(names), &head, err));
  const json_t *host = json_object_get(head, names[0]);
  const json_t *old = json_object_get(host, "ProcessorName"); /* before 0.11 it is {Value} */
  const char *cpu = json_is_object(old) ? pawl_feed_text(&feed->arena, old, "Value")
                                        : pawl_feed_text(&feed->arena, host, "ProcessorName");
  if (cpu) feed->run.hardware = feed->run.hardware_name = cpu;
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, benchmarks, benchmarkdotnet_take_benchmark, NULL, err);
}
