/* SPDX-License-Identifier: Apache-2.0 */
/* hyperfine --export-json: {results: [{command, times: [seconds], mean, ...}]}. */
#include <math.h>

#include "import/import.h"

/* The times of a result; of old versions, which have figures only, the mean. */
static pawl_status read_times(const json_t *item, const char *name, struct pawl_arena *arena,
                              struct pawl_times *times, struct pawl_error *err) {
  const json_t *all = json_object_get(item, "times");
  if (json_is_array(all)) return pawl_times_add_array(times, all, 1, name, arena, err);
  double mean;
  PAWL_TRY(pawl_json_get_number(item, "mean", name, -1, &mean, err));
  return pawl_times_add(times, mean, name, arena, err);
}

pawl_status pawl_import_hyperfine(const json_t *document, struct pawl_benchmark_list *list,
                                  struct pawl_error *err) {
  const json_t *results = json_object_get(document, "results");
  if (!json_is_array(results))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'results'", list->file);
  for (size_t i = 0; i < json_array_size(results); i++) {
    const json_t *item = json_array_get(results, i);
    const char *command;
    struct pawl_times times = {0};
    PAWL_TRY(pawl_json_get_string(item, "command", list->file, NULL, &command, err));
    PAWL_TRY(read_times(item, list->file, list->arena, &times, err));
    PAWL_TRY(pawl_benchmark_list_add(list, command, &times, err));
  }
  return PAWL_OK;
}

/* --- into the history: a command is a kernel, its parameters are the case --- */

static enum pawl_status_code feed_result(void *context, struct pawl_json_span key,
                                         struct pawl_json_span value, struct pawl_error *err) {
  struct pawl_feed *feed = context;
  PAWL_CLEANUP(pawl_json_release) json_t *item = NULL;
  struct pawl_times times = {0};
  struct pawl_feed_point point = {.position = value.begin};
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&feed->text, value, &item, err));
  const json_t *all = json_object_get(item, "times");
  if (json_is_array(all)) {
    if (pawl_times_add_array(&times, all, 1, "'times'", &feed->point, err) != PAWL_OK)
      return pawl_json_span_fail(&feed->text, value.begin, err, "%s", err->message);
  } else {
    const json_t *mean = json_object_get(item, "mean");
    point.value = json_is_number(mean) ? json_number_value(mean) : (double)NAN;
  }
  point.kernel = pawl_feed_text(&feed->point, item, "command");
  point.case_name = pawl_feed_pairs(&feed->point, json_object_get(item, "parameters"));
  point.seconds = times.seconds;
  point.count = times.count;
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_hyperfine(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, results;
  PAWL_TRY(pawl_feed_start_list(feed, "results", &whole, &results, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_json_span_each(&feed->text, results, feed_result, feed, err);
}
