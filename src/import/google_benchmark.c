/* SPDX-License-Identifier: Apache-2.0 */
/* Google Benchmark --benchmark_format=json: {benchmarks: [{run_name, run_type, repetition_index,
   real_time, time_unit, error_occurred}]}; every repetition is a time of the benchmark `run_name`.
 */
#include <string.h>

#include "base/count.h"
#include "import/import.h"

static pawl_status unit_of(const json_t *item, const char *name, double *unit,
                           struct pawl_error *err) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const char *given;
  PAWL_TRY(pawl_json_get_string(item, "time_unit", name, "ns", &given, err));
  for (size_t i = 0; i < PAWL_COUNT(units); i++) {
    if (strcmp(units[i].name, given) != 0) continue;
    *unit = units[i].seconds;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_BAD_DATA, "%s: 'time_unit' is '%.20s', not ns, us, ms or s", name,
                   given);
}

/* The benchmarks of a file, and the number of the last repetition of each. */
struct google_reading {
  struct pawl_benchmark_list *list;
  long long last[PAWL_MOST_BENCHMARKS];
};

/* Why it has no times; NULL: it has. */
static pawl_status read_fault(const json_t *item, const char *file, bool *failed,
                              const char **fault, struct pawl_error *err) {
  const char *error, *skipped;
  bool is_skipped;
  PAWL_TRY(pawl_json_get_bool(item, "error_occurred", file, false, failed, err));
  PAWL_TRY(pawl_json_get_bool(item, "skipped", file, false, &is_skipped, err));
  PAWL_TRY(pawl_json_get_string(item, "error_message", file, "it failed", &error, err));
  PAWL_TRY(pawl_json_get_string(item, "skip_message", file, "it was skipped", &skipped, err));
  *fault = *failed ? error : is_skipped ? skipped : NULL;
  return PAWL_OK;
}

static pawl_status add_time(const json_t *item, struct pawl_benchmark *benchmark,
                            struct pawl_benchmark_list *list, struct pawl_error *err) {
  struct pawl_times times = {benchmark->seconds, benchmark->count};
  double time, unit = 1e-9;
  PAWL_TRY(unit_of(item, list->file, &unit, err));
  PAWL_TRY(pawl_json_get_number(item, "real_time", list->file, -1, &time, err));
  PAWL_TRY(pawl_times_add(&times, time * unit, list->file, list->arena, err));
  benchmark->seconds = times.seconds;
  benchmark->count = times.count;
  return PAWL_OK;
}

/* Repetitions of a benchmark share its name and are numbered as they run, perhaps between those of
   others: a number that does not rise is another benchmark of the same name. Versions before 1.5.1
   do not number them. */
static pawl_status take_repetition(struct google_reading *reading, const json_t *item,
                                   const char *name, struct pawl_error *err) {
  struct pawl_benchmark_list *list = reading->list;
  struct pawl_benchmark *benchmark;
  const char *fault;
  bool is_new, failed;
  long long number;
  PAWL_TRY(pawl_benchmark_list_open(list, name, &benchmark, &is_new, err));
  long long *last = &reading->last[benchmark - list->all.items];
  PAWL_TRY(read_fault(item, list->file, &failed, &fault, err));
  PAWL_TRY(pawl_json_get_int(item, "repetition_index", list->file, is_new ? 0 : *last + 1, &number,
                             err));
  if (!is_new && number <= *last)
    pawl_benchmark_repeats(benchmark);
  else if (fault && !benchmark->fault)
    pawl_benchmark_set_fault(benchmark, failed, fault, list->arena);
  else if (!benchmark->fault)
    PAWL_TRY(add_time(item, benchmark, list, err));
  *last = number;
  return PAWL_OK;
}

/* Where the file has aggregates only, the median stands for the repetitions. */
static pawl_status take_aggregate(struct google_reading *reading, const json_t *item,
                                  const char *name, struct pawl_error *err) {
  const char *aggregate;
  struct pawl_benchmark *benchmark;
  bool is_new;
  PAWL_TRY(pawl_json_get_string(item, "aggregate_name", reading->list->file, "", &aggregate, err));
  if (strcmp(aggregate, "median") != 0) return PAWL_OK;
  PAWL_TRY(pawl_benchmark_list_open(reading->list, name, &benchmark, &is_new, err));
  return is_new ? add_time(item, benchmark, reading->list, err) : PAWL_OK;
}

static pawl_status read_all(struct google_reading *reading, const json_t *benchmarks,
                            struct pawl_error *err) {
  const char *file = reading->list->file;
  for (size_t i = 0; i < json_array_size(benchmarks); i++) {
    const json_t *item = json_array_get(benchmarks, i);
    const char *type, *name, *run_name;
    PAWL_TRY(pawl_json_get_string(item, "run_type", file, "iteration", &type, err));
    PAWL_TRY(pawl_json_get_string(item, "name", file, NULL, &name, err));
    PAWL_TRY(pawl_json_get_string(item, "run_name", file, name, &run_name, err));
    if (!strcmp(type, "iteration"))
      PAWL_TRY(take_repetition(reading, item, run_name, err));
    else
      PAWL_TRY(take_aggregate(reading, item, run_name, err));
  }
  return PAWL_OK;
}

pawl_status pawl_import_google_benchmark(const json_t *document, struct pawl_benchmark_list *list,
                                         struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  if (!json_is_array(benchmarks))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", list->file);
  struct google_reading *reading = pawl_alloc(1, sizeof *reading);
  reading->list = list;
  const enum pawl_status_code status = read_all(reading, benchmarks, err);
  pawl_free(reading);
  return status;
}

/* --- into the history: what stands before the first slash of a name is the kernel, the rest the
 * case --- */

/* Repetitions stand one after the other. */
struct google_feeding {
  struct pawl_feed *feed;
  struct pawl_text name;     /* of the repetitions that are being gathered */
  struct pawl_arena samples; /* of those */
  struct pawl_times times;
  size_t position;
};

static pawl_status feed_named(struct google_feeding *reading, const char *full,
                              struct pawl_feed_point *point, struct pawl_error *err) {
  char *kernel = pawl_arena_copy(&reading->feed->point, full), *slash = strchr(kernel, '/');
  if (slash) *slash++ = '\0';
  point->kernel = kernel;
  point->case_name = slash;
  return pawl_feed_add(reading->feed, point, err);
}

static pawl_status flush(struct google_feeding *reading, struct pawl_error *err) {
  struct pawl_feed_point point = {.position = reading->position,
                                  .seconds = reading->times.seconds,
                                  .count = reading->times.count};
  if (point.count) PAWL_TRY(feed_named(reading, pawl_text_string(&reading->name), &point, err));
  pawl_arena_clear(&reading->samples);
  reading->times = (struct pawl_times){0};
  return PAWL_OK;
}

static pawl_status take_item(struct google_feeding *reading, const json_t *item, size_t position,
                             struct pawl_error *err) {
  const struct pawl_json_text *text = &reading->feed->text;
  const char *name = json_string_value(json_object_get(item, "run_name"));
  const char *type = json_string_value(json_object_get(item, "run_type"));
  const char *aggregate = json_string_value(json_object_get(item, "aggregate_name"));
  const json_t *time = json_object_get(item, "real_time");
  struct pawl_feed_point point = {.position = position};
  double unit = 1;
  if (!name) name = json_string_value(json_object_get(item, "name"));
  if (!name) return pawl_json_span_fail(text, position, err, "a benchmark without a name");
  const bool same = !strcmp(name, pawl_text_string(&reading->name));
  if (!same) PAWL_TRY(flush(reading, err));
  if (json_is_true(json_object_get(item, "error_occurred"))) {
    const char *message = json_string_value(json_object_get(item, "error_message"));
    point.failure = message ? message : "it failed";
    return feed_named(reading, name, &point, err);
  }
  const bool is_aggregate = type && !strcmp(type, "aggregate");
  if (is_aggregate && (same || !aggregate || strcmp(aggregate, "median") != 0))
    return PAWL_OK; /* of what was read */
  if (unit_of(item, text->name, &unit, err) != PAWL_OK)
    return pawl_json_span_fail(text, position, err, "'time_unit' is not ns, us, ms or s");
  if (!json_is_number(time))
    return pawl_json_span_fail(text, position, err, "'real_time' is no number");
  if (pawl_times_add(&reading->times, json_number_value(time) * unit, "'real_time'",
                     &reading->samples, err) != PAWL_OK)
    return pawl_json_span_fail(text, position, err, "%s", err->message);
  reading->position = position;
  reading->name.length = 0;
  pawl_text_add(&reading->name, name);
  return PAWL_OK;
}

static enum pawl_status_code feed_item(void *context, struct pawl_json_span key,
                                       struct pawl_json_span value, struct pawl_error *err) {
  struct google_feeding *reading = context;
  PAWL_CLEANUP(pawl_json_release) json_t *item = NULL;
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&reading->feed->text, value, &item, err));
  return take_item(reading, item, value.begin, err);
}

static pawl_status read_context(struct pawl_feed *feed, struct pawl_json_span whole,
                                struct pawl_error *err) {
  struct pawl_json_span span;
  PAWL_CLEANUP(pawl_json_release) json_t *context = NULL;
  PAWL_TRY(pawl_json_span_member(&feed->text, whole, "context", &span, err));
  if (span.begin == span.end) return PAWL_OK;
  PAWL_TRY(pawl_json_span_parse(&feed->text, span, &context, err));
  const long long when = pawl_feed_time(json_string_value(json_object_get(context, "date")));
  const char *host = json_string_value(json_object_get(context, "host_name"));
  const json_t *cpus = json_object_get(context, "num_cpus");
  if (when >= 0) feed->run.time = when;
  if (host && json_is_integer(cpus))
    feed->run.hardware = feed->run.hardware_name = pawl_arena_printf(
        &feed->arena, "%.200s, %lld CPUs", host, (long long)json_integer_value(cpus));
  return PAWL_OK;
}

pawl_status pawl_feed_google_benchmark(struct pawl_feed *feed, struct pawl_error *err) {
  struct google_feeding reading = {.feed = feed};
  struct pawl_json_span whole, benchmarks;
  PAWL_TRY(pawl_feed_start_list(feed, "benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(read_context(feed, whole, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  enum pawl_status_code status =
      pawl_json_span_each(&feed->text, benchmarks, feed_item, &reading, err);
  if (status == PAWL_OK) status = flush(&reading, err);
  pawl_arena_clear(&reading.samples);
  pawl_text_clear(&reading.name);
  return status;
}
