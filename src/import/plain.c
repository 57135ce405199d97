/* SPDX-License-Identifier: Apache-2.0 */
/* A form that any program can write: {"benchmarks": [{"name": "sort/1024", "unit": "ns", "times":
   [12.5, 12.7]}]}. The unit is a time, such as ns, us, ms or s; s where it is absent. In place of
   "times": "time", of one call; "error", why the benchmark failed; "skipped", why it did not run.
 */
#include <math.h>

#include "import/import.h"

static void read_figures(const json_t *item, struct pawl_arena *arena,
                         struct pawl_feed_point *out) {
  const json_t *all = json_object_get(item, "times"), *unit = json_object_get(item, "unit");
  const char *text = unit ? json_string_value(unit) : "s";
  const double seconds = text ? pawl_unit_seconds(text) : 0;
  if (!(seconds > 0))
    out->fault = pawl_arena_printf(arena, "its 'unit' is '%.20s', not ns, us, ms or s",
                                   text ? text : "no text");
  else if (all && !json_is_array(all))
    out->fault = "its 'times' is no list";
  else if (json_array_size(all))
    pawl_times_add_array(&out->times, all, seconds, arena);
  else if (all || !json_object_get(item, "time"))
    out->fault = PAWL_FEED_NO_TIMES;
  else
    out->value = pawl_feed_number(item, "time") * seconds;
}

static enum pawl_status_code plain_take_benchmark(void *context, struct pawl_feed *feed,
                                                  const json_t *item, struct pawl_error *err) {
  struct pawl_feed_point point = {.kernel = pawl_feed_text(&feed->point, item, "name"),
                                  .failure = pawl_feed_reason(item, "error", "error"),
                                  .skipped = pawl_feed_reason(item, "skipped", "skipped"),
                                  .value = NAN};
  (void)context;
  read_figures(item, &feed->point, &point);
  return pawl_feed_add(feed, &point, err);
}

pawl_status pawl_feed_plain(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_json_span whole, benchmarks;
  PAWL_TRY(pawl_feed_start_list(feed, "benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_feed_each(feed, benchmarks, plain_take_benchmark, NULL, err);
}
