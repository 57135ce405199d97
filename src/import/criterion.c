/* SPDX-License-Identifier: Apache-2.0 */
/* criterion.rs, target/criterion/ID/new/sample.json: {sampling_mode, iters: [n], times: [n]}, the nanoseconds of so
   many iterations each; versions before 0.3.4 write the two arrays alone. Or the estimates.json beside it, whose median
   stands for the samples. */
#include "import/import.h"

#define NANOSECOND 1e-9

static pawl_status add_samples(const json_t *iterations, const json_t *times, const char *name,
                               struct pawl_arena *arena, struct pawl_times *out, struct pawl_error *err) {
  const size_t count = json_array_size(times);
  if (!count || json_array_size(iterations) != count)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'iters' and 'times' are not two arrays of one length", name);
  for (size_t i = 0; i < count; i++) {
    const json_t *time = json_array_get(times, i), *number = json_array_get(iterations, i);
    if (!json_is_number(time) || !json_is_number(number) || !(json_number_value(number) >= 1))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: sample %zu has no time or no iterations", name, i);
    PAWL_TRY(pawl_times_add(out, json_number_value(time) / json_number_value(number) * NANOSECOND, name, arena, err));
  }
  return PAWL_OK;
}

pawl_status pawl_import_criterion(const json_t *document, const char *name, struct pawl_arena *arena,
                                  struct pawl_times *out, struct pawl_error *err) {
  struct pawl_times times = {0};
  const json_t *median = json_object_get(document, "median");
  if (median) {
    double figure;
    PAWL_TRY(pawl_json_get_number(median, "point_estimate", name, -1, &figure, err));
    PAWL_TRY(pawl_times_add(&times, figure * NANOSECOND, name, arena, err));
  } else {
    const bool plain = json_is_array(document);
    PAWL_TRY(add_samples(plain ? json_array_get(document, 0) : json_object_get(document, "iters"),
                         plain ? json_array_get(document, 1) : json_object_get(document, "times"), name, arena, &times,
                         err));
  }
  *out = times;
  return PAWL_OK;
}
