/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"

#include <math.h>
#include <string.h>

#include "base/file.h"

#define MOST_TIMES 1000000
#define SHORTEST_TIME 1e-12 /* in seconds: shorter ones are kept as 0 */

const struct pawl_importer pawl_importers[] = {
    {"criterion", pawl_import_criterion},
    {"google-benchmark", pawl_import_google_benchmark},
    {"hyperfine", pawl_import_hyperfine},
    {"nvbench", pawl_import_nvbench},
    {"pytest-benchmark", pawl_import_pytest_benchmark},
};
const size_t pawl_importer_count = sizeof pawl_importers / sizeof *pawl_importers;

pawl_status pawl_times_add(struct pawl_times *times, double seconds, const char *name, struct pawl_arena *arena,
                           struct pawl_error *err) {
  if (!(seconds >= SHORTEST_TIME) || !isfinite(seconds))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a time is not a number, or is below a picosecond", name);
  if (times->count >= MOST_TIMES) return pawl_fail(err, PAWL_BAD_DATA, "%s: more than %d times", name, MOST_TIMES);
  if ((times->count & (times->count - 1)) == 0) { /* full: the room doubles at powers of two */
    double *grown = pawl_arena_alloc(arena, times->count ? 2 * times->count : 1, sizeof *grown);
    if (times->count) memcpy(grown, times->seconds, times->count * sizeof *grown);
    times->seconds = grown;
  }
  times->seconds[times->count++] = seconds;
  return PAWL_OK;
}

pawl_status pawl_times_add_array(struct pawl_times *times, const json_t *array, double unit, const char *name,
                                 struct pawl_arena *arena, struct pawl_error *err) {
  for (size_t i = 0; i < json_array_size(array); i++) {
    const json_t *item = json_array_get(array, i);
    PAWL_TRY(pawl_times_add(times, json_is_number(item) ? json_number_value(item) * unit : NAN, name, arena, err));
  }
  return PAWL_OK;
}

/* The document is in the file that "{out}" named, else it is what the command printed. */
static pawl_status read_document(const char *format, const char *path, const char *output, json_t **out,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  const char *start = text.length ? text.data : strchr(output, '{');
  if (!start) return pawl_fail(err, PAWL_BAD_DATA, "%s: the command wrote no JSON: pass \"{out}\" to it", format);
  /* Google Benchmark writes bare NaN. */
  return pawl_json_parse(start, strlen(start), format, true, out, err);
}

static pawl_status read_times(const char *format, const char *path, const char *output, struct pawl_arena *arena,
                              double **seconds, size_t *count, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_times times = {0};
  PAWL_TRY(read_document(format, path, output, &document, err));
  for (size_t i = 0; i < pawl_importer_count; i++) {
    if (strcmp(pawl_importers[i].name, format) == 0)
      PAWL_TRY(pawl_importers[i].read(document, format, arena, &times, err));
  }
  *seconds = times.seconds;
  *count = times.count;
  return PAWL_OK;
}

struct pawl_times_reader pawl_import_reader(const char *format) {
  for (size_t i = 0; i < pawl_importer_count; i++) {
    if (!strcmp(pawl_importers[i].name, format)) return (struct pawl_times_reader){pawl_importers[i].name, read_times};
  }
  return (struct pawl_times_reader){0};
}
