/* SPDX-License-Identifier: Apache-2.0 */
/* pytest-benchmark --benchmark-json: {benchmarks: [{stats: {median, data: [seconds]}}]}. */
#include "import/import.h"

pawl_status pawl_import_pytest_benchmark(const json_t *document, const char *name, struct pawl_arena *arena,
                                         struct pawl_times *out, struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  struct pawl_times times = {0};
  if (!json_is_array(benchmarks)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", name);
  for (size_t i = 0; i < json_array_size(benchmarks); i++) {
    const json_t *stats = json_object_get(json_array_get(benchmarks, i), "stats");
    const json_t *data = json_object_get(stats, "data");
    if (!json_is_object(stats)) return pawl_fail(err, PAWL_BAD_DATA, "%s: a benchmark without 'stats'", name);
    if (json_is_array(data) && json_array_size(data)) {
      PAWL_TRY(pawl_times_add_array(&times, data, 1, name, arena, err));
    } else { /* data is kept with --benchmark-save-data only */
      double median;
      PAWL_TRY(pawl_json_get_number(stats, "median", name, -1, &median, err));
      PAWL_TRY(pawl_times_add(&times, median, name, arena, err));
    }
  }
  *out = times;
  return PAWL_OK;
}
