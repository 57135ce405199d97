/* SPDX-License-Identifier: Apache-2.0 */
/* github-action-benchmark: data.js, window.BENCHMARK_DATA = {entries: {SUITE: [{commit, date, tool,
   benches: [{name, value, unit}]}]}}, a run for each entry; or the list of benches alone, which its
   "custom" tools write. */
#include <string.h>

#include "base/count.h"
#include "import/import.h"

struct action_reading {
  struct pawl_feed *feed;
  const char *suite;       /* the case of all of its benches */
  enum pawl_better better; /* by the tool */
};

/* The two tools whose name says a direction. For the others the unit says it. */
static enum pawl_better direction_of(const char *tool) {
  if (!tool) return PAWL_BETTER_UNKNOWN;
  return !strcmp(tool, "customBiggerIsBetter")    ? PAWL_BETTER_BIGGER
         : !strcmp(tool, "customSmallerIsBetter") ? PAWL_BETTER_SMALLER
                                                  : PAWL_BETTER_UNKNOWN;
}

static enum pawl_status_code take_bench(void *context, struct pawl_feed *feed, const json_t *bench,
                                        struct pawl_error *err) {
  const struct action_reading *reading = context;
  struct pawl_feed_point point = {.kernel = pawl_feed_text(&feed->point, bench, "name"),
                                  .case_name = reading->suite,
                                  .value = pawl_feed_number(bench, "value"),
                                  .unit = json_string_value(json_object_get(bench, "unit")),
                                  .better = reading->better};
  if (!point.unit || !*point.unit) point.unit = "1";
  return pawl_feed_add(feed, &point, err);
}

/* The entry without its benches. */
static pawl_status github_action_benchmark_read_entry(struct action_reading *reading,
                                                      struct pawl_json_span span,
                                                      struct pawl_error *err) {
  static const char *const names[] = {"commit", "date", "tool"};
  struct pawl_feed *feed = reading->feed;
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  PAWL_TRY(pawl_feed_members(feed, span, names, PAWL_COUNT(names), &head, err));
  const json_t *commit = json_object_get(head, "commit"), *date = json_object_get(head, "date");
  char *subject = (char *)(uintptr_t)pawl_feed_text(&feed->arena, commit, "message");
  if (subject) subject[strcspn(subject, "\r\n")] = '\0';
  feed->run.subject = subject;
  pawl_feed_commit(feed, json_string_value(json_object_get(commit, "id")));
  feed->run.commit_time = pawl_feed_time(json_string_value(json_object_get(commit, "timestamp")));
  if (json_is_number(date) && json_number_value(date) >= 0 && json_number_value(date) < 1e15)
    feed->run.time = (long long)(json_number_value(date) / 1000);
  else if (feed->run.commit_time >= 0)
    feed->run.time = feed->run.commit_time;
  reading->better = direction_of(json_string_value(json_object_get(head, "tool")));
  return PAWL_OK;
}

static enum pawl_status_code feed_entry(void *context, struct pawl_json_span key,
                                        struct pawl_json_span value, struct pawl_error *err) {
  struct action_reading *reading = context;
  struct pawl_json_span benches;
  (void)key;
  pawl_feed_start(reading->feed, value);
  PAWL_TRY(github_action_benchmark_read_entry(reading, value, err));
  PAWL_TRY(pawl_feed_run(reading->feed, err));
  PAWL_TRY(pawl_json_span_member(&reading->feed->text, value, "benches", &benches, err));
  if (benches.begin == benches.end)
    return pawl_json_span_fail(&reading->feed->text, value.begin, err,
                               "an entry without 'benches'");
  return pawl_feed_each(reading->feed, benches, take_bench, reading, err);
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
  size_t begin = 0; /* data.js has "window.BENCHMARK_DATA = " before the object */
  while (begin < feed->text.length && feed->text.text[begin] != '{' &&
         feed->text.text[begin] != '[')
    begin++;
  PAWL_TRY(pawl_json_span_next(&feed->text, begin, &whole, err));
  if (pawl_json_span_is_array(&feed->text, whole)) {
    pawl_feed_start(feed, whole);
    PAWL_TRY(pawl_feed_run(feed, err));
    return pawl_feed_each(feed, whole, take_bench, &reading, err);
  }
  PAWL_TRY(pawl_json_span_member(&feed->text, whole, "entries", &entries, err));
  if (!pawl_json_span_is_object(&feed->text, entries))
    return pawl_json_span_fail(&feed->text, whole.begin, err, "no object 'entries'");
  return pawl_json_span_each(&feed->text, entries, feed_suite, &reading, err);
}
