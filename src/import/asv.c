/* SPDX-License-Identifier: Apache-2.0 */
/* asv, .asv/results/MACHINE/COMMIT-ENVIRONMENT.json, version 2: {commit_hash, date, env_name,
   params: {machine, cpu}, result_columns: ["result", "params", ...], results: {name: [a value of
   each column]}}. "result" and "samples" have a value for each combination of the parameters, and
   the last parameter varies fastest. A result of null is a failure, and NaN is a benchmark that the
   suite skips. The prefix of the name says the unit. A benchmark is a kernel, a combination is a
   case. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"

#define MOST_COMBINATIONS 100000 /* a benchmark that failed has no more points */

/* Prefixes of the last part of a name, as a function and as a class. */
static const struct {
  const char *function, *class, *unit;
} prefixes[] = {{"time_", "Time", "s"},
                {"timeraw_", "Timeraw", "s"},
                {"mem_", "Mem", "bytes"},
                {"peakmem_", "PeakMem", "bytes"}};

struct asv_reading {
  struct pawl_feed *feed;
  const json_t *columns;
  const char *name;               /* the benchmark */
  const json_t *params, *samples; /* columns of the benchmark */
  size_t index;                   /* the place of the combination */
};

static const char *asv_unit_of(const char *name) {
  const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
  for (size_t i = 0; i < PAWL_COUNT(prefixes); i++) {
    const size_t length = strlen(prefixes[i].class);
    if (pawl_starts_with(last, prefixes[i].function) ||
        (pawl_starts_with(last, prefixes[i].class) &&
         strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", last[length])))
      return prefixes[i].unit;
  }
  return "unit"; /* asv's own default */
}

/* The values of a combination, "16, 'float32'"; NULL: the benchmark has no parameters. */
static const char *combination(struct pawl_arena *arena, const json_t *params, size_t index) {
  const char *text = NULL;
  size_t rest = index;
  for (size_t i = json_array_size(params); i-- > 0;) {
    const json_t *values = json_array_get(params, i);
    const size_t count = json_array_size(values);
    const char *value = count ? json_string_value(json_array_get(values, rest % count)) : NULL;
    if (!value) return pawl_arena_printf(arena, "combination %zu", index + 1);
    text = text ? pawl_arena_printf(arena, "%s, %s", value, text) : pawl_arena_copy(arena, value);
    rest /= count;
  }
  return rest ? pawl_arena_printf(arena, "combination %zu", index + 1) : text;
}

static enum pawl_status_code take_value(void *context, struct pawl_json_span key,
                                        struct pawl_json_span span, struct pawl_error *err) {
  struct asv_reading *reading = context;
  struct pawl_feed *feed = reading->feed;
  PAWL_CLEANUP(pawl_json_release) json_t *value = NULL;
  struct pawl_feed_point point = {
      .kernel = reading->name,
      .case_name = combination(&feed->point, reading->params, reading->index),
      .value = NAN,
      .unit = asv_unit_of(reading->name)};
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&feed->text, span, &value, err));
  if (json_is_number(value))
    point.value = json_number_value(value);
  else if (feed->text.text[span.begin] == 'N')
    point.skipped = "the suite skipped it";
  else if (json_is_null(value))
    point.failure = "asv says that it failed";
  if (json_is_number(value) && !strcmp(point.unit, "s"))
    pawl_times_add_array(&point.times, json_array_get(reading->samples, reading->index), 1,
                         &feed->point);
  reading->index++;
  return pawl_feed_add(feed, &point, err);
}

static size_t count_combinations(const json_t *params) {
  size_t count = 1, i;
  const json_t *values;
  json_array_foreach(params, i, values) {
    const size_t more = json_array_size(values);
    if (!more || count > MOST_COMBINATIONS / more) return 1;
    count *= more;
  }
  return count;
}

/* A benchmark that failed with every combination has no list of values. */
static pawl_status asv_take_failure(struct asv_reading *reading, struct pawl_error *err) {
  struct pawl_feed *feed = reading->feed;
  const size_t count = count_combinations(reading->params);
  for (; reading->index < count; reading->index++) {
    const struct pawl_feed_point point = {
        .kernel = reading->name,
        .case_name = combination(&feed->point, reading->params, reading->index),
        .failure = "asv says that it failed"};
    PAWL_TRY(pawl_feed_add(feed, &point, err));
  }
  return PAWL_OK;
}

/* The value of a column of a row; NULL: the row has none. */
static const json_t *asv_cell(const struct asv_reading *reading, const json_t *row,
                              const char *name) {
  const json_t *column;
  size_t i;
  json_array_foreach(reading->columns, i, column) if (json_is_string(column) &&
                                                      !strcmp(json_string_value(column),
                                                              name)) return json_array_get(row, i);
  return NULL;
}

static enum pawl_status_code asv_take_benchmark(void *context, struct pawl_json_span key,
                                                struct pawl_json_span span,
                                                struct pawl_error *err) {
  struct asv_reading *reading = context;
  struct pawl_feed *feed = reading->feed;
  PAWL_CLEANUP(pawl_json_release) json_t *name = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *row = NULL;
  struct pawl_json_span result;
  PAWL_TRY(pawl_json_span_parse(&feed->text, key, &name, err));
  PAWL_TRY(pawl_json_span_parse(&feed->text, span, &row, err));
  reading->name = json_string_value(name);
  reading->params = asv_cell(reading, row, "params");
  reading->samples = asv_cell(reading, row, "samples");
  reading->index = 0;
  if (json_array_size(json_array_get(row, 0))) { /* its text tells NaN from null */
    PAWL_TRY(pawl_json_span_next(&feed->text, span.begin + 1, &result, err));
    return pawl_json_span_each(&feed->text, result, take_value, reading, err);
  }
  return asv_take_failure(reading, err);
}

/* The series of two environments stay apart, as those of two machines. */
static void read_machine(struct pawl_feed *feed, const json_t *head) {
  const json_t *params = json_object_get(head, "params");
  const json_t *date = json_object_get(head, "date");
  const char *machine = pawl_feed_text(&feed->arena, params, "machine"),
             *cpu = pawl_feed_text(&feed->arena, params, "cpu"),
             *environment = pawl_feed_text(&feed->arena, head, "env_name");
  pawl_feed_commit(feed, json_string_value(json_object_get(head, "commit_hash")));
  if (json_is_number(date) && json_number_value(date) >= 0 && json_number_value(date) < 1e15)
    feed->run.time = feed->run.commit_time = (long long)(json_number_value(date) / 1000);
  feed->run.hardware =
      pawl_arena_printf(&feed->arena, "%.100s, %.100s, %.100s", machine ? machine : "-",
                        cpu ? cpu : "-", environment ? environment : "-");
  feed->run.hardware_name = cpu ? cpu : machine;
}

pawl_status pawl_feed_asv(struct pawl_feed *feed, struct pawl_error *err) {
  static const char *const names[] = {"version",  "commit_hash", "date",
                                      "env_name", "params",      "result_columns"};
  struct asv_reading reading = {.feed = feed};
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  struct pawl_json_span whole, results;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  PAWL_TRY(pawl_feed_members(feed, whole, names, PAWL_COUNT(names), &head, err));
  if (json_integer_value(json_object_get(head, "version")) != 2)
    return pawl_json_span_fail(&feed->text, whole.begin, err,
                               "not a file of asv's results in version 2; if it is an older one, "
                               "run asv update");
  reading.columns = json_object_get(head, "result_columns");
  const char *first = json_string_value(json_array_get(reading.columns, 0));
  if (!first || strcmp(first, "result") != 0)
    return pawl_json_span_fail(&feed->text, whole.begin, err,
                               "the first of the 'result_columns' is not 'result'");
  PAWL_TRY(pawl_json_span_member(&feed->text, whole, "results", &results, err));
  if (!pawl_json_span_is_object(&feed->text, results))
    return pawl_json_span_fail(&feed->text, whole.begin, err, "no object 'results'");
  pawl_feed_start(feed, whole);
  read_machine(feed, head);
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_json_span_each(&feed->text, results, asv_take_benchmark, &reading, err);
}
