/* SPDX-License-Identifier: Apache-2.0 */
/* hyperfine --export-json: {results: [{command, times: [seconds], mean, ...}]}. */
#include "import/import.h"

pawl_status pawl_import_hyperfine(const json_t *document, const char *name, struct pawl_arena *arena,
                                  struct pawl_times *out, struct pawl_error *err) {
  const json_t *results = json_object_get(document, "results");
  struct pawl_times times = {0};
  if (!json_is_array(results)) return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'results'", name);
  for (size_t i = 0; i < json_array_size(results); i++) {
    const json_t *item = json_array_get(results, i), *all = json_object_get(item, "times");
    if (json_is_array(all)) {
      PAWL_TRY(pawl_times_add_array(&times, all, 1, name, arena, err));
    } else { /* --export-json of old versions has figures only */
      double mean;
      PAWL_TRY(pawl_json_get_number(item, "mean", name, -1, &mean, err));
      PAWL_TRY(pawl_times_add(&times, mean, name, arena, err));
    }
  }
  *out = times;
  return PAWL_OK;
}
