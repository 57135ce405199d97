/* SPDX-License-Identifier: Apache-2.0 */
/* A form that any program can write: {"benchmarks": [{"name": "sort/1024", "unit": "ns", "times":
   [12.5, 12.7]}]}. The unit is ns, us, ms or s; s where it is absent. In place of "times": "time",
   of one call; "error", why the benchmark failed; "skipped", why it did not run. */
#include <string.h>

#include "import/import.h"
#include "import/unit.h"

/* "error" or "skipped", whose value may be true or a reason; NULL: the benchmark ran. */
static const char *read_reason(const json_t *item, const char *key) {
  const json_t *value = json_object_get(item, key);
  return json_is_string(value) ? json_string_value(value) : json_is_true(value) ? key : NULL;
}

static pawl_status read_times(const json_t *item, const struct pawl_benchmark_list *list,
                              const char *name, struct pawl_times *times, struct pawl_error *err) {
  const json_t *all = json_object_get(item, "times");
  const char *unit;
  double time;
  PAWL_TRY(pawl_json_get_string(item, "unit", list->file, "s", &unit, err));
  const double seconds = pawl_unit_seconds(unit);
  if (!(seconds > 0))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'unit' of '%.100s' is '%.20s', not ns, us, ms or s",
                     list->file, name, unit);
  if (all && !json_is_array(all))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'times' of '%.100s' is no array", list->file, name);
  if (all) return pawl_times_add_array(times, all, seconds, list->file, list->arena, err);
  PAWL_TRY(pawl_json_get_number(item, "time", list->file, -1, &time, err));
  return pawl_times_add(times, time * seconds, list->file, list->arena, err);
}

static pawl_status read_benchmark(const json_t *item, struct pawl_benchmark_list *list,
                                  struct pawl_error *err) {
  const char *name = json_string_value(json_object_get(item, "name"));
  const char *error = read_reason(item, "error"), *skipped = read_reason(item, "skipped");
  struct pawl_times times = {0};
  if (!name) return pawl_fail(err, PAWL_BAD_DATA, "%s: a benchmark without 'name'", list->file);
  if (error || skipped)
    return pawl_benchmark_list_add_fault(list, name, error != NULL, error ? error : skipped, err);
  PAWL_TRY(read_times(item, list, name, &times, err));
  return pawl_benchmark_list_add(list, name, &times, err);
}

pawl_status pawl_import_plain(const json_t *document, struct pawl_benchmark_list *list,
                              struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  if (!json_is_array(benchmarks))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", list->file);
  for (size_t i = 0; i < json_array_size(benchmarks); i++)
    PAWL_TRY(read_benchmark(json_array_get(benchmarks, i), list, err));
  return PAWL_OK;
}
