/* SPDX-License-Identifier: Apache-2.0 */
/* github-action-benchmark: data.js, window.BENCHMARK_DATA = {entries: {SUITE: [{commit, date, tool,
   benches: [{name, value, unit}]}]}}, a run for each entry; or the list of benches alone, which its
   "custom" tools write. */
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "import/import.h"

struct action_reading {
  struct pawl_feed *feed;
  const char *suite;     /* the case of all of its benches */
  bool bigger_is_better; /* of the tool */
};

/* "iter/sec", "ops/s", "MB/s": a rate. */
static bool is_rate(const char *unit) {
  const char *slash = unit ? strrchr(unit, '/') : NULL;
  return slash && (!strcmp(slash, "/s") || !strcmp(slash, "/sec") || !strcmp(slash, "/second"));
}

static enum pawl_status_code feed_bench(void *context, struct pawl_json_span key,
                                        struct pawl_json_span value, struct pawl_error *err) {
  const struct action_reading *reading = context;
  struct pawl_feed *feed = reading->feed;
  PAWL_CLEANUP(pawl_json_release) json_t *bench = NULL;
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&feed->text, value, &bench, err));
  const json_t *number = json_object_get(bench, "value");
  struct pawl_feed_point point = {.position = value.begin, .case_name = reading->suite};
  point.kernel = pawl_feed_text(&feed->point, bench, "name");
  point.unit = pawl_feed_text(&feed->point, bench, "unit");
  if (!point.unit) point.unit = "1";
  point.value = json_is_number(number) ? json_number_value(number) : (double)NAN;
  if (json_is_string(number) && !pawl_parse_double(json_string_value(number), &point.value))
    point.value = NAN;
  point.bigger_is_better = reading->bigger_is_better || is_rate(point.unit);
  if (!point.kernel)
    return pawl_json_span_fail(&feed->text, value.begin, err, "a benchmark without a name");
  return pawl_feed_add(feed, &point, err);
}

/* The entry without its benches. */
static pawl_status read_entry(struct action_reading *reading, struct pawl_json_span span,
                              struct pawl_error *err) {
  static const char *const names[] = {"commit", "date", "tool"};
  struct pawl_feed *feed = reading->feed;
  PAWL_CLEANUP(pawl_json_release) json_t *head = json_object();
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    struct pawl_json_span found;
    json_t *value;
    PAWL_TRY(pawl_json_span_member(&feed->text, span, names[i], &found, err));
    if (found.begin == found.end) continue;
    PAWL_TRY(pawl_json_span_parse(&feed->text, found, &value, err));
    pawl_json_set(head, names[i], value);
  }
  const json_t *commit = json_object_get(head, "commit"), *date = json_object_get(head, "date");
  const char *tool = json_string_value(json_object_get(head, "tool"));
  char *subject = (char *)(uintptr_t)pawl_feed_text(&feed->arena, commit, "message");
  if (subject) subject[strcspn(subject, "\r\n")] = '\0';
  feed->run.subject = subject;
  pawl_feed_commit(feed, json_string_value(json_object_get(commit, "id")));
  feed->run.commit_time = pawl_feed_time(json_string_value(json_object_get(commit, "timestamp")));
  if (json_is_number(date) && json_number_value(date) >= 0 && json_number_value(date) < 1e15)
    feed->run.time = (long long)(json_number_value(date) / 1000);
  else if (feed->run.commit_time >= 0)
    feed->run.time = feed->run.commit_time;
  reading->bigger_is_better = tool && !strcmp(tool, "customBiggerIsBetter");
  return PAWL_OK;
}

static enum pawl_status_code feed_entry(void *context, struct pawl_json_span key,
                                        struct pawl_json_span value, struct pawl_error *err) {
  struct action_reading *reading = context;
  struct pawl_json_span benches;
  (void)key;
  pawl_feed_start(reading->feed, value);
  PAWL_TRY(read_entry(reading, value, err));
  PAWL_TRY(pawl_feed_run(reading->feed, err));
  PAWL_TRY(pawl_json_span_member(&reading->feed->text, value, "benches", &benches, err));
  if (benches.begin == benches.end)
    return pawl_json_span_fail(&reading->feed->text, value.begin, err,
                               "an entry without 'benches'");
  return pawl_json_span_each(&reading->feed->text, benches, feed_bench, reading, err);
}

static enum pawl_status_code feed_suite(void *context, struct pawl_json_span key,
                                        struct pawl_json_span value, struct pawl_error *err) {
  struct action_reading *reading = context;
  PAWL_CLEANUP(pawl_json_release) json_t *name = NULL;
  PAWL_TRY(pawl_json_span_parse(&reading->feed->text, key, &name, err));
  reading->suite = json_string_value(name);
  return pawl_json_span_each(&reading->feed->text, value, feed_entry, reading, err);
}

pawl_status pawl_feed_github_action_benchmark(struct pawl_feed *feed, struct pawl_error *err) {
  struct action_reading reading = {.feed = feed};
  struct pawl_json_span whole, entries;
  size_t begin = 0;
  while (begin < feed->text.length && feed->text.text[begin] != '{' &&
         feed->text.text[begin] != '[')
    begin++;
  PAWL_TRY(pawl_json_span_next(&feed->text, begin, &whole, err));
  if (pawl_json_span_is_array(&feed->text, whole)) {
    pawl_feed_start(feed, whole);
    PAWL_TRY(pawl_feed_run(feed, err));
    return pawl_json_span_each(&feed->text, whole, feed_bench, &reading, err);
  }
  PAWL_TRY(pawl_json_span_member(&feed->text, whole, "entries", &entries, err));
  if (!pawl_json_span_is_object(&feed->text, entries))
    return pawl_json_span_fail(&feed->text, whole.begin, err, "no object 'entries'");
  return pawl_json_span_each(&feed->text, entries, feed_suite, &reading, err);
}
