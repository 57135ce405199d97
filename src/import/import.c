/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"

#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"

#define MOST_TIMES 1000000
#define SHORTEST_TIME 1e-12 /* in seconds: shorter ones are kept as 0 */

const struct pawl_importer pawl_importers[] = {
    {"catch2", .read_text = pawl_import_catch2, .feed = pawl_feed_catch2},
    {"criterion", .read = pawl_import_criterion, .read_folder = pawl_import_criterion_folder,
     .feed = pawl_feed_criterion, .feed_folder = pawl_feed_criterion_folder},
    {"github-action-benchmark", .feed = pawl_feed_github_action_benchmark},
    {"google-benchmark", .read = pawl_import_google_benchmark, .feed = pawl_feed_google_benchmark},
    {"hyperfine", .read = pawl_import_hyperfine, .feed = pawl_feed_hyperfine},
    {"jmh", .read = pawl_import_jmh},
    {"nvbench", .read = pawl_import_nvbench, .feed = pawl_feed_nvbench},
    {"plain", .read = pawl_import_plain},
    {"pytest-benchmark", .read = pawl_import_pytest_benchmark, .feed = pawl_feed_pytest_benchmark},
    {"results", .feed = pawl_feed_results},
    {"run", .feed = pawl_feed_own_run},
};
const size_t pawl_importer_count = PAWL_COUNT(pawl_importers);

const struct pawl_importer *pawl_importer_find(const char *format) {
  for (size_t i = 0; i < pawl_importer_count; i++)
    if (!strcmp(pawl_importers[i].name, format)) return &pawl_importers[i];
  return NULL;
}

pawl_status pawl_times_add(struct pawl_times *times, double seconds, const char *name,
                           struct pawl_arena *arena, struct pawl_error *err) {
  if (!(seconds >= SHORTEST_TIME) || !isfinite(seconds))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a time is not a number, or is below a picosecond",
                     name);
  if (times->count >= MOST_TIMES)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: more than %d times", name, MOST_TIMES);
  if ((times->count & (times->count - 1)) == 0) { /* full: the room doubles at powers of two */
    double *grown = pawl_arena_alloc(arena, times->count ? 2 * times->count : 1, sizeof *grown);
    if (times->count) memcpy(grown, times->seconds, times->count * sizeof *grown);
    times->seconds = grown;
  }
  times->seconds[times->count++] = seconds;
  return PAWL_OK;
}

pawl_status pawl_times_add_array(struct pawl_times *times, const json_t *array, double unit,
                                 const char *name, struct pawl_arena *arena,
                                 struct pawl_error *err) {
  for (size_t i = 0; i < json_array_size(array); i++) {
    const json_t *item = json_array_get(array, i);
    PAWL_TRY(pawl_times_add(times, json_is_number(item) ? json_number_value(item) * unit : NAN,
                            name, arena, err));
  }
  return PAWL_OK;
}

static pawl_status read_json(const struct pawl_importer *importer, const char *text,
                             struct pawl_benchmark_list *list, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  /* Google Benchmark writes bare NaN. */
  PAWL_TRY(pawl_json_parse(text, strlen(text), importer->name, true, &document, err));
  return importer->read(document, list, err);
}

/* The document is in the file that "{out}" named, else it is what the command printed. */
static pawl_status read_document(const struct pawl_importer *importer, const char *path,
                                 const char *output, struct pawl_benchmark_list *list,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!importer->read_folder) PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  const char *start = text.length ? text.data : strchr(output, importer->read ? '{' : '<');
  if (!start)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: the command wrote no %s: pass \"{out}\" to it",
                     importer->name, importer->read ? "JSON" : "XML");
  const size_t length = text.length ? text.length : strlen(start);
  return importer->read ? read_json(importer, start, list, err)
                        : importer->read_text(start, length, list, err);
}

static pawl_status read_benchmarks(const char *format, const char *path, const char *output,
                                   struct pawl_arena *arena, struct pawl_benchmarks *out,
                                   struct pawl_error *err) {
  const struct pawl_importer *importer = pawl_importer_find(format);
  struct pawl_benchmark_list list = {.file = format, .arena = arena};
  if (importer->read_folder) PAWL_TRY(importer->read_folder(path, &list, err));
  if (!list.all.count) PAWL_TRY(read_document(importer, path, output, &list, err));
  *out = list.all;
  return PAWL_OK;
}

struct pawl_benchmarks_reader pawl_import_reader(const char *format) {
  const struct pawl_importer *importer = pawl_importer_find(format);
  if (!importer || (!importer->read && !importer->read_text))
    return (struct pawl_benchmarks_reader){0};
  return (struct pawl_benchmarks_reader){importer->name, importer->read_folder != NULL,
                                         read_benchmarks};
}
