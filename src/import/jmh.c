/* SPDX-License-Identifier: Apache-2.0 */
/* JMH -rf json: [{benchmark, mode, threads, params: {name: value}, primaryMetric: {score,
   scoreUnit, rawData: [[score of each iteration] of each fork]}}]. A score in "ns/op" is a time;
   one in "ops/ms" is a rate, whose reciprocal is the time of an operation. */
#include <math.h>
#include <string.h>

#include "import/import.h"
#include "import/unit.h"

/* How a score becomes seconds. */
struct jmh_unit {
  double seconds; /* in a unit of time */
  bool is_rate;
};

static pawl_status read_unit(const json_t *metric, const char *file, struct jmh_unit *out,
                             struct pawl_error *err) {
  const char *text;
  PAWL_TRY(pawl_json_get_string(metric, "scoreUnit", file, "", &text, err));
  out->is_rate = pawl_starts_with(text, "ops/");
  out->seconds = pawl_unit_seconds(out->is_rate ? text + strlen("ops/") : text);
  if (out->seconds > 0) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA,
                   "%s: 'scoreUnit' is '%.20s', not ns/op, us/op, ms/op, s/op or ops per unit",
                   file, text);
}

static pawl_status add_score(const json_t *score, const struct jmh_unit *unit,
                             const struct pawl_benchmark_list *list, struct pawl_times *times,
                             struct pawl_error *err) {
  const double value = json_is_number(score) ? json_number_value(score) : (double)NAN;
  return pawl_times_add(times, unit->is_rate ? unit->seconds / value : unit->seconds * value,
                        list->file, list->arena, err);
}

/* The iterations; of the mode "sample", which has a histogram in their place, the mean. */
static pawl_status read_scores(const json_t *metric, const struct pawl_benchmark_list *list,
                               struct pawl_times *times, struct pawl_error *err) {
  const json_t *forks = json_object_get(metric, "rawData");
  struct jmh_unit unit;
  PAWL_TRY(read_unit(metric, list->file, &unit, err));
  for (size_t i = 0; i < json_array_size(forks); i++) {
    const json_t *scores = json_array_get(forks, i);
    for (size_t j = 0; j < json_array_size(scores); j++)
      PAWL_TRY(add_score(json_array_get(scores, j), &unit, list, times, err));
  }
  return times->count ? PAWL_OK
                      : add_score(json_object_get(metric, "score"), &unit, list, times, err);
}

/* The same method runs in several modes, with several numbers of threads, on several parameters. */
static const char *make_name(const json_t *item, const char *method, struct pawl_arena *arena) {
  const char *mode = json_string_value(json_object_get(item, "mode"));
  const char *params = pawl_feed_pairs(arena, json_object_get(item, "params"));
  const json_t *threads = json_object_get(item, "threads");
  const char *name = params ? pawl_arena_printf(arena, "%s [%s]", method, params) : method;
  if (json_is_integer(threads) && json_integer_value(threads) > 1)
    name =
        pawl_arena_printf(arena, "%s, %lld threads", name, (long long)json_integer_value(threads));
  return mode && strcmp(mode, "avgt") != 0 ? pawl_arena_printf(arena, "%s, %s", name, mode) : name;
}

pawl_status pawl_import_jmh(const json_t *document, struct pawl_benchmark_list *list,
                            struct pawl_error *err) {
  if (!json_is_array(document))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: not an array of results", list->file);
  for (size_t i = 0; i < json_array_size(document); i++) {
    const json_t *item = json_array_get(document, i),
                 *metric = json_object_get(item, "primaryMetric");
    const char *method = json_string_value(json_object_get(item, "benchmark"));
    struct pawl_times times = {0};
    if (!method || !json_is_object(metric))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: a result without 'benchmark' and 'primaryMetric'",
                       list->file);
    PAWL_TRY(read_scores(metric, list, &times, err));
    PAWL_TRY(pawl_benchmark_list_add(list, make_name(item, method, list->arena), &times, err));
  }
  return PAWL_OK;
}
