/* SPDX-License-Identifier: Apache-2.0 */
/* Catch2 -r xml, versions 2 and 3: <BenchmarkResults name="..."> with <mean value="NANOSECONDS"/>
   or <failed message="..."/>, inside of <TestCase name="..."> and <Section name="...">. The file
   has no single times: the mean of a run stands for its samples. */
#include <math.h>
#include <string.h>

#include "import/import.h"
#include "import/xml.h"

#define NANOSECOND 1e-9

/* A benchmark of the file. Texts live until the function that takes it returns. */
struct catch2_benchmark {
  const char *test;  /* the test case */
  const char *place; /* "SECTION/.../NAME" in it */
  double seconds;    /* NaN: the file has no mean */
  const char *failure;
  size_t position;
};

struct catch2_reading {
  const struct pawl_json_text *text;
  void *context;
  enum pawl_status_code (*take)(void *context, const struct catch2_benchmark *benchmark,
                                struct pawl_error *err);
  struct pawl_text test, place, failure; /* `place` ends with a slash after each section */
  size_t lengths[PAWL_XML_DEPTH];        /* of `place` before each open element */
  size_t depth;
  bool in_benchmark, failed;
  double seconds;
  size_t position;
};

static void set(struct pawl_text *text, const char *value) {
  text->length = 0;
  pawl_text_add(text, value);
}

static pawl_status read_name(struct catch2_reading *reading, const char *element,
                             const char *const *attributes, size_t position, const char **out,
                             struct pawl_error *err) {
  *out = pawl_xml_attribute(attributes, "name");
  return *out ? PAWL_OK
              : pawl_json_span_fail(reading->text, position, err, "a %s without 'name'", element);
}

static pawl_status read_mean(struct catch2_reading *reading, const char *const *attributes,
                             size_t position, struct pawl_error *err) {
  const char *value = pawl_xml_attribute(attributes, "value");
  double nanoseconds;
  if (!value || !pawl_parse_double(value, &nanoseconds) || !(nanoseconds > 0))
    return pawl_json_span_fail(reading->text, position, err,
                               "the mean of '%.100s' is '%.20s', not a time above 0",
                               pawl_text_string(&reading->place), value ? value : "");
  reading->seconds = nanoseconds * NANOSECOND;
  return PAWL_OK;
}

/* An element inside of a benchmark. */
static pawl_status read_figure(struct catch2_reading *reading, const char *name,
                               const char *const *attributes, size_t position,
                               struct pawl_error *err) {
  if (!strcmp(name, "mean")) return read_mean(reading, attributes, position, err);
  if (strcmp(name, "failed") != 0) return PAWL_OK;
  const char *message = pawl_xml_attribute(attributes, "message");
  reading->failed = true;
  set(&reading->failure, message && *message ? message : "it failed");
  return PAWL_OK;
}

static enum pawl_status_code open_element(void *context, const char *name,
                                          const char *const *attributes, size_t position,
                                          struct pawl_error *err) {
  struct catch2_reading *reading = context;
  const char *given;
  if (!reading->depth && strcmp(name, "Catch") != 0 && strcmp(name, "Catch2TestRun") != 0)
    return pawl_json_span_fail(
        reading->text, position, err,
        "the first element is '%.50s', not Catch2's: pass '-r xml' to the program", name);
  reading->lengths[reading->depth++] = reading->place.length;
  if (reading->in_benchmark) return read_figure(reading, name, attributes, position, err);
  if (!strcmp(name, "TestCase")) {
    PAWL_TRY(read_name(reading, name, attributes, position, &given, err));
    set(&reading->test, given);
    set(&reading->place, "");
  } else if (!strcmp(name, "Section")) {
    PAWL_TRY(read_name(reading, name, attributes, position, &given, err));
    pawl_text_printf(&reading->place, "%s/", given);
  } else if (!strcmp(name, "BenchmarkResults")) {
    PAWL_TRY(read_name(reading, name, attributes, position, &given, err));
    pawl_text_add(&reading->place, given);
    reading->in_benchmark = true;
    reading->failed = false;
    reading->seconds = (double)NAN;
    reading->position = position;
  }
  return PAWL_OK;
}

static enum pawl_status_code close_element(void *context, const char *name, size_t position,
                                           struct pawl_error *err) {
  struct catch2_reading *reading = context;
  enum pawl_status_code status = PAWL_OK;
  (void)position;
  if (reading->in_benchmark && !strcmp(name, "BenchmarkResults")) {
    const struct catch2_benchmark benchmark = {
        .test = pawl_text_string(&reading->test),
        .place = pawl_text_string(&reading->place),
        .seconds = reading->seconds,
        .failure = reading->failed ? pawl_text_string(&reading->failure) : NULL,
        .position = reading->position};
    reading->in_benchmark = false;
    status = reading->take(reading->context, &benchmark, err);
  }
  reading->place.length = reading->lengths[--reading->depth];
  if (reading->place.data) reading->place.data[reading->place.length] = '\0';
  return status;
}

static pawl_status read_all(struct catch2_reading *reading, struct pawl_error *err) {
  const struct pawl_xml_visitor visitor = {reading, open_element, close_element};
  const enum pawl_status_code status = pawl_xml_walk(reading->text, &visitor, err);
  pawl_text_clear(&reading->test);
  pawl_text_clear(&reading->place);
  pawl_text_clear(&reading->failure);
  return status;
}

/* --- the benchmarks of a command --- */

static enum pawl_status_code list_benchmark(void *context, const struct catch2_benchmark *benchmark,
                                            struct pawl_error *err) {
  struct pawl_benchmark_list *list = context;
  struct pawl_times times = {0};
  const char *name =
      *benchmark->test ? pawl_arena_printf(list->arena, "%s/%s", benchmark->test, benchmark->place)
                       : benchmark->place;
  if (benchmark->failure)
    return pawl_benchmark_list_add_fault(list, name, true, benchmark->failure, err);
  if (!isnan(benchmark->seconds))
    PAWL_TRY(pawl_times_add(&times, benchmark->seconds, list->file, list->arena, err));
  return pawl_benchmark_list_add(list, name, &times, err);
}

pawl_status pawl_import_catch2(const char *text, size_t length, struct pawl_benchmark_list *list,
                               struct pawl_error *err) {
  const struct pawl_json_text whole = {list->file, text, length};
  struct catch2_reading reading = {.text = &whole, .context = list, .take = list_benchmark};
  return read_all(&reading, err);
}

/* --- into the history: a test case is a kernel, what stands in it is the case --- */

static enum pawl_status_code feed_benchmark(void *context, const struct catch2_benchmark *benchmark,
                                            struct pawl_error *err) {
  const struct pawl_feed_point point = {.position = benchmark->position,
                                        .kernel = benchmark->test,
                                        .case_name = benchmark->place,
                                        .value = benchmark->seconds,
                                        .failure = benchmark->failure ? benchmark->failure
                                                   : isnan(benchmark->seconds)
                                                       ? "the file has no mean of it"
                                                       : NULL};
  return pawl_feed_add(context, &point, err);
}

pawl_status pawl_feed_catch2(struct pawl_feed *feed, struct pawl_error *err) {
  struct catch2_reading reading = {.text = &feed->text, .context = feed, .take = feed_benchmark};
  pawl_feed_start(feed, (struct pawl_json_span){0, feed->text.length});
  PAWL_TRY(pawl_feed_run(feed, err));
  return read_all(&reading, err);
}
