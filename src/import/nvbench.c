/* SPDX-License-Identifier: Apache-2.0 */
/* nvbench --json: benchmarks[].states[].summaries[{tag, data: [{name, type, value}]}], numbers as text, in seconds. The
   samples themselves lie in a binary file beside it; a state's median over them (its mean, in older files) is its time.
 */
#include <string.h>

#include "import/import.h"

static const json_t *find_summary(const json_t *state, const char *tag) {
  const json_t *summaries = json_object_get(state, "summaries");
  for (size_t i = 0; i < json_array_size(summaries); i++) {
    const json_t *summary = json_array_get(summaries, i);
    const char *found = json_string_value(json_object_get(summary, "tag"));
    if (found && !strcmp(found, tag)) return summary;
  }
  return NULL;
}

/* The number that a summary holds; -1: none. */
static double value_of(const json_t *summary) {
  const json_t *data = json_object_get(summary, "data");
  for (size_t i = 0; i < json_array_size(data); i++) {
    const json_t *item = json_array_get(data, i);
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *value = json_object_get(item, "value");
    double number;
    if (!name || strcmp(name, "value") != 0) continue;
    if (json_is_number(value)) return json_number_value(value);
    if (json_is_string(value) && pawl_parse_double(json_string_value(value), &number)) return number;
  }
  return -1;
}

static pawl_status add_state(const json_t *state, const char *name, struct pawl_arena *arena, struct pawl_times *times,
                             struct pawl_error *err) {
  static const char *const tags[] = {"nv/cold/time/gpu/median", "nv/cold/time/gpu/mean", "nv/cold/time/cpu/mean"};
  bool skipped;
  PAWL_TRY(pawl_json_get_bool(state, "is_skipped", name, false, &skipped, err));
  if (skipped) return PAWL_OK;
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    const json_t *summary = find_summary(state, tags[i]);
    if (summary) return pawl_times_add(times, value_of(summary), name, arena, err);
  }
  return pawl_fail(err, PAWL_BAD_DATA, "%s: a state without a summary '%s'", name, tags[1]);
}

pawl_status pawl_import_nvbench(const json_t *document, const char *name, struct pawl_arena *arena,
                                struct pawl_times *out, struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  struct pawl_times times = {0};
  if (!json_is_array(benchmarks)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", name);
  for (size_t i = 0; i < json_array_size(benchmarks); i++) {
    const json_t *states = json_object_get(json_array_get(benchmarks, i), "states");
    for (size_t j = 0; j < json_array_size(states); j++)
      PAWL_TRY(add_state(json_array_get(states, j), name, arena, &times, err));
  }
  *out = times;
  return PAWL_OK;
}
