/* SPDX-License-Identifier: Apache-2.0 */
/* Google Benchmark --benchmark_format=json: {benchmarks: [{run_type, real_time, time_unit, error_occurred}]}; every
   repetition is a time, aggregates are left out. */
#include <string.h>

#include "import/import.h"

static pawl_status unit_of(const json_t *item, const char *name, double *unit, struct pawl_error *err) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const char *given;
  PAWL_TRY(pawl_json_get_string(item, "time_unit", name, "ns", &given, err));
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(units[i].name, given) != 0) continue;
    *unit = units[i].seconds;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_BAD_DATA, "%s: 'time_unit' is '%.20s', not ns, us, ms or s", name, given);
}

pawl_status pawl_import_google_benchmark(const json_t *document, const char *name, struct pawl_arena *arena,
                                         struct pawl_times *out, struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  struct pawl_times times = {0};
  if (!json_is_array(benchmarks)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", name);
  for (size_t i = 0; i < json_array_size(benchmarks); i++) {
    const json_t *item = json_array_get(benchmarks, i);
    const char *type, *message;
    bool failed;
    double time, unit = 1e-9;
    PAWL_TRY(pawl_json_get_string(item, "run_type", name, "iteration", &type, err));
    PAWL_TRY(pawl_json_get_string(item, "error_message", name, "it failed", &message, err));
    PAWL_TRY(pawl_json_get_bool(item, "error_occurred", name, false, &failed, err));
    if (failed) return pawl_fail(err, PAWL_BAD_DATA, "%s: a benchmark failed: %.200s", name, message);
    if (strcmp(type, "iteration") != 0) continue;
    PAWL_TRY(unit_of(item, name, &unit, err));
    PAWL_TRY(pawl_json_get_number(item, "real_time", name, -1, &time, err));
    PAWL_TRY(pawl_times_add(&times, time * unit, name, arena, err));
  }
  *out = times;
  return PAWL_OK;
}
