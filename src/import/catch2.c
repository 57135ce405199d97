/* SPDX-License-Identifier: Apache-2.0 */
/* Catch2 -r xml, versions 2 and 3: <BenchmarkResults name="..."> with <mean value="NANOSECONDS"/>
   or <failed message="..."/>, inside of <TestCase name="..."> and <Section name="...">. The file
   has no single times: the mean of a run stands for its samples. In the history a test case is a
   kernel; the sections and the benchmark in it are the case. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"
#include "import/xml.h"

#define NANOSECOND 1e-9

/* A benchmark of the open test case, which may still fail. */
struct catch2_benchmark {
  size_t position; /* the place of its tag in the text */
  struct pawl_feed_point point;
  struct catch2_benchmark *next;
};

struct catch2_reading {
  struct pawl_feed *feed;
  struct pawl_text test, place;   /* `place` ends with a slash after each section */
  size_t lengths[PAWL_XML_DEPTH]; /* the length of `place` before each open element */
  size_t begins[PAWL_XML_DEPTH];  /* the place of each open element in the text */
  size_t depth;
  bool in_benchmark;
  bool explained;          /* a benchmark or a section of the test case says what failed */
  struct pawl_arena arena; /* holds the benchmarks that wait */
  struct catch2_benchmark *first, **end;
};

static void set_text(struct pawl_text *text, const char *value) {
  text->length = 0;
  pawl_text_add(text, value ? value : "-");
}

/* Assertions failed around the benchmarks from this place of the text on: their times are
 * worthless. */
static void fail_from(struct catch2_reading *reading, size_t begin, const char *failure) {
  for (struct catch2_benchmark *item = reading->first; item; item = item->next)
    if (item->position >= begin && !item->point.failure) item->point.failure = failure;
  reading->explained = true;
}

/* Hands on the benchmarks of a test case. */
static pawl_status catch2_take_waiting(struct catch2_reading *reading, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  for (struct catch2_benchmark *item = reading->first; item && status == PAWL_OK; item = item->next)
    status = pawl_feed_add(reading->feed, &item->point, err);
  pawl_arena_clear(&reading->arena);
  reading->first = NULL;
  reading->end = &reading->first;
  reading->explained = false;
  return status;
}

/* <OverallResults failures="1"/> of a section, <OverallResult success="false"/> of a test case. */
static void read_result(struct catch2_reading *reading, const char *const *attributes) {
  const char *failures = pawl_xml_attribute(attributes, "failures");
  const char *success = pawl_xml_attribute(attributes, "success");
  const size_t parent = reading->depth < 2 ? 0 : reading->begins[reading->depth - 2];
  if (failures && strcmp(failures, "0") != 0)
    fail_from(reading, parent, "an assertion of its section failed");
  else if (success && !strcmp(success, "false") && !reading->explained)
    fail_from(reading, parent, "an assertion of its test case failed");
}

static void open_benchmark(struct catch2_reading *reading, const char *const *attributes,
                           size_t position) {
  const char *name = pawl_xml_attribute(attributes, "name");
  struct catch2_benchmark *item = pawl_arena_alloc(&reading->arena, 1, sizeof *item);
  pawl_text_add(&reading->place, name ? name : "-");
  item->position = position;
  item->point = (struct pawl_feed_point){
      .kernel = pawl_arena_copy(&reading->arena, pawl_text_string(&reading->test)),
      .case_name = pawl_arena_copy(&reading->arena, pawl_text_string(&reading->place)),
      .fault = PAWL_FEED_NO_TIMES};
  *reading->end = item;
  reading->end = &item->next;
  reading->in_benchmark = true;
}

/* The benchmark that is open. */
static struct pawl_feed_point *last_point(struct catch2_reading *reading) {
  struct catch2_benchmark *item = reading->first;
  while (&item->next != reading->end) item = item->next;
  return &item->point;
}

static double nanoseconds_in(const char *const *attributes, const char *key) {
  const char *value = pawl_xml_attribute(attributes, key);
  double nanoseconds;
  return value && pawl_parse_double(value, &nanoseconds) ? nanoseconds * NANOSECOND : (double)NAN;
}

/* An element inside of a benchmark. */
static void read_figure(struct catch2_reading *reading, const char *name,
                        const char *const *attributes) {
  struct pawl_feed_point *point = last_point(reading);
  if (!strcmp(name, "mean")) {
    static const char *const keys[] = {"lowerBound", "value", "upperBound"};
    point->fault = NULL;
    point->figures = 0;
    point->value = nanoseconds_in(attributes, "value");
    for (size_t i = 0; i < PAWL_COUNT(keys); i++)
      pawl_feed_add_figure(point, keys[i], nanoseconds_in(attributes, keys[i]));
  } else if (!strcmp(name, "failed")) {
    const char *message = pawl_xml_attribute(attributes, "message");
    point->failure = pawl_arena_copy(&reading->arena, message && *message ? message : "it failed");
    reading->explained = true;
  }
}

static enum pawl_status_code open_element(void *context, const char *name,
                                          const char *const *attributes, size_t position,
                                          struct pawl_error *err) {
  struct catch2_reading *reading = context;
  if (!reading->depth && strcmp(name, "Catch") != 0 && strcmp(name, "Catch2TestRun") != 0)
    return pawl_json_span_fail(
        &reading->feed->text, position, err,
        "the first element is '%.50s', not Catch2's: pass '-r xml' to the program", name);
  reading->begins[reading->depth] = position;
  reading->lengths[reading->depth++] = reading->place.length;
  if (reading->in_benchmark) {
    read_figure(reading, name, attributes);
  } else if (!strcmp(name, "TestCase")) {
    set_text(&reading->test, pawl_xml_attribute(attributes, "name"));
    reading->place.length = 0;
  } else if (!strcmp(name, "Section")) {
    const char *section = pawl_xml_attribute(attributes, "name");
    pawl_text_printf(&reading->place, "%s/", section ? section : "-");
  } else if (!strcmp(name, "BenchmarkResults")) {
    open_benchmark(reading, attributes, position);
  } else if (!strcmp(name, "OverallResult") || !strcmp(name, "OverallResults")) {
    read_result(reading, attributes);
  }
  return PAWL_OK;
}

static enum pawl_status_code close_element(void *context, const char *name, size_t position,
                                           struct pawl_error *err) {
  struct catch2_reading *reading = context;
  (void)position;
  if (!strcmp(name, "BenchmarkResults")) reading->in_benchmark = false;
  reading->place.length = reading->lengths[--reading->depth];
  if (reading->place.data) reading->place.data[reading->place.length] = '\0';
  /* the benchmark that is open still waits for its figures */
  return !strcmp(name, "TestCase") && !reading->in_benchmark ? catch2_take_waiting(reading, err)
                                                             : PAWL_OK;
}

pawl_status pawl_feed_catch2(struct pawl_feed *feed, struct pawl_error *err) {
  struct catch2_reading reading = {.feed = feed};
  const struct pawl_xml_visitor visitor = {&reading, open_element, close_element};
  reading.end = &reading.first;
  pawl_feed_start(feed, (struct pawl_json_span){0, feed->text.length});
  PAWL_TRY(pawl_feed_run(feed, err));
  enum pawl_status_code status = pawl_xml_walk(&feed->text, &visitor, err);
  if (status == PAWL_OK) status = catch2_take_waiting(&reading, err);
  pawl_arena_clear(&reading.arena);
  pawl_text_clear(&reading.test);
  pawl_text_clear(&reading.place);
  return status;
}
