/* SPDX-License-Identifier: Apache-2.0 */
/* tinybench has no file of its own. Programs write its tasks as a list of {name, result}, or with
   the members of the result beside the name. Since version 3 the result has {latency: {p50, mean,
   samples}, state}; before, it has {mean, samples}. Times are in milliseconds. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "import/import.h"

#define MILLISECOND 1e-3

/* Why the task has no result. JSON keeps no message of a JavaScript error: it is {}. */
static const char *task_failure(struct pawl_arena *arena, const json_t *result) {
  const json_t *error = json_object_get(result, "error");
  const char *state = json_string_value(json_object_get(result, "state"));
  const char *message = pawl_feed_text(arena, error, "message");
  if (json_is_true(json_object_get(result, "aborted")) ||
      (state && pawl_starts_with(state, "abor")))
    return "tinybench aborted it";
  if (error && !json_is_null(error)) return message ? message : "tinybench says that it failed";
  return state && !strcmp(state, "errored") ? "tinybench says that it failed" : NULL;
}

static enum pawl_status_code take_task(void *context, struct pawl_feed *feed, const json_t *item,
                                       struct pawl_error *err) {
  static const char *const figures[] = {"min", "p50", "p75", "p99", "p995", "p999", "max", NULL};
  const json_t *result = json_object_get(item, "result");
  if (!result) result = item;
  const json_t *latency = json_object_get(result, "latency");
  if (!latency) latency = result;
  struct pawl_arena *arena = &feed->point;
  const double median = pawl_feed_number(latency, "p50"), mean = pawl_feed_number(latency, "mean");
  struct pawl_feed_point point = {.kernel = pawl_feed_text(arena, item, "name"),
                                  .failure = task_failure(arena, result),
                                  .value = (isnan(median) ? mean : median) * MILLISECOND};
  (void)context;
  pawl_times_add_array(&point.times, json_object_get(latency, "samples"), MILLISECOND, arena);
  pawl_feed_figures(&point, latency, figures, "mean", MILLISECOND);
  if (!point.times.count && isnan(point.value)) point.fault = PAWL_FEED_NO_TIMES;
  if (!point.kernel)
    point.fault =
        "it has no name; write the tasks as bench.tasks.map(({name, result}) => ({name, "
        "result}))";
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_tinybench(struct pawl_feed *feed, struct pawl_error *err) {
  return pawl_feed_list(feed, take_task, err);
}
