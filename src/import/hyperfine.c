/* SPDX-License-Identifier: Apache-2.0 */
/* hyperfine --export-json: {results: [{command, times: [seconds], mean, exit_codes, parameters}]}.
   In the history a command is a kernel, and its parameters are the case. */
#include <math.h>
#include <string.h>

#include "import/import.h"

/* hyperfine -i keeps the times of runs that failed. null stands for a signal. */
static const char *find_failure(const json_t *item, struct pawl_arena *arena) {
  const json_t *codes = json_object_get(item, "exit_codes");
  for (size_t i = 0; i < json_array_size(codes); i++) {
    const json_t *code = json_array_get(codes, i);
    if (json_is_integer(code) && json_integer_value(code) == 0) continue;
    return json_is_integer(code)
               ? pawl_arena_printf(arena, "run %zu of %zu ended with exit status %lld", i + 1,
                                   json_array_size(codes), (long long)json_integer_value(code))
               : pawl_arena_printf(arena, "run %zu of %zu was ended by a signal", i + 1,
                                   json_array_size(codes));
  }
  return NULL;
}

/* Whether the command shows the values of all its parameters. A command that `-n` names does not.
 */
static bool shows_parameters(const char *command, const json_t *parameters) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)parameters, key, value) {
    const char *text = json_string_value(value);
    if (text && !strstr(command, text)) return false;
  }
  return true;
}

static enum pawl_status_code hyperfine_take_result(void *context, struct pawl_feed *feed,
                                                   const json_t *item, struct pawl_error *err) {
  static const char *const figures[] = {"min", "median", "max", NULL};
  const json_t *all = json_object_get(item, "times"),
               *parameters = json_object_get(item, "parameters");
  struct pawl_feed_point point = {.kernel = pawl_feed_text(&feed->point, item, "command"),
                                  .case_name = pawl_feed_pairs(&feed->point, parameters),
                                  .failure = find_failure(item, &feed->point),
                                  .value = NAN};
  (void)context;
  pawl_feed_figures(&point, item, figures, "mean", 1);
  point.name = point.kernel;
  if (point.kernel && point.case_name && !shows_parameters(point.kernel, parameters))
    point.name = pawl_arena_printf(&feed->point, "%s [%s]", point.kernel, point.case_name);
  if (json_array_size(all)) {
    pawl_times_add_array(&point.times, all, 1, &feed->point);
  } else if (json_is_array(all)) {
    point.fault = PAWL_FEED_NO_TIMES;
  } else { /* an old version writes figures alone */
    point.value = pawl_feed_number(item, "mean");
  }
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_hyperfine(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, results;
  PAWL_TRY(pawl_feed_start_list(feed, "results", &whole, &results, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, results, hyperfine_take_result, NULL, err);
}
