/* SPDX-License-Identifier: Apache-2.0 */
/* criterion.rs, target/criterion/ID/new/sample.json: {sampling_mode, iters: [n], times: [n]}, the
   nanoseconds of so many iterations each; versions before 0.3.4 write the two arrays alone. Or the
   estimates.json beside it, whose median stands for the samples. */
#include <stdlib.h>
#include <string.h>

#include "import/criterion_folder.h"
#include "import/import.h"

#define NANOSECOND 1e-9

static pawl_status add_samples(const json_t *iterations, const json_t *times, const char *name,
                               struct pawl_arena *arena, struct pawl_times *out,
                               struct pawl_error *err) {
  const size_t count = json_array_size(times);
  if (!count || json_array_size(iterations) != count)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'iters' and 'times' are not two arrays of one length",
                     name);
  for (size_t i = 0; i < count; i++) {
    const json_t *time = json_array_get(times, i), *number = json_array_get(iterations, i);
    if (!json_is_number(time) || !json_is_number(number) || !(json_number_value(number) >= 1))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: sample %zu has no time or no iterations", name, i);
    PAWL_TRY(pawl_times_add(out, json_number_value(time) / json_number_value(number) * NANOSECOND,
                            name, arena, err));
  }
  return PAWL_OK;
}

static pawl_status read_times(const json_t *document, const char *name, struct pawl_arena *arena,
                              struct pawl_times *times, struct pawl_error *err) {
  const json_t *median = json_object_get(document, "median");
  if (median) {
    double figure;
    PAWL_TRY(pawl_json_get_number(median, "point_estimate", name, -1, &figure, err));
    return pawl_times_add(times, figure * NANOSECOND, name, arena, err);
  }
  const bool plain = json_is_array(document);
  return add_samples(plain ? json_array_get(document, 0) : json_object_get(document, "iters"),
                     plain ? json_array_get(document, 1) : json_object_get(document, "times"), name,
                     arena, times, err);
}

pawl_status pawl_import_criterion(const json_t *document, struct pawl_benchmark_list *list,
                                  struct pawl_error *err) {
  struct pawl_times times = {0};
  PAWL_TRY(read_times(document, list->file, list->arena, &times, err));
  return pawl_benchmark_list_add(list, NULL, &times, err);
}

static const char *full_name(const struct pawl_criterion_benchmark *benchmark,
                             struct pawl_arena *arena) {
  if (!benchmark->group) return NULL;
  return *benchmark->rest ? pawl_arena_printf(arena, "%s/%s", benchmark->group, benchmark->rest)
                          : benchmark->group;
}

static enum pawl_status_code list_benchmark(void *context,
                                            const struct pawl_criterion_benchmark *benchmark,
                                            struct pawl_error *err) {
  struct pawl_benchmark_list *list = context;
  struct pawl_times times = {0};
  const char *name = full_name(benchmark, list->arena);
  PAWL_TRY(read_times(benchmark->document, name ? name : list->file, list->arena, &times, err));
  return pawl_benchmark_list_add(list, name, &times, err);
}

pawl_status pawl_import_criterion_folder(const char *folder, struct pawl_benchmark_list *list,
                                         struct pawl_error *err) {
  return pawl_criterion_walk(folder, list_benchmark, list, err);
}

/* --- a file into the history: it is one benchmark --- */

/* .../GROUP/FUNCTION/VALUE/new/sample.json: the group is the kernel, the rest the case.
   benchmark.json beside it would say so too, but whoever copies one file loses it. */
static void name_by_path(struct pawl_feed *feed, struct pawl_feed_point *point) {
  char *path = pawl_arena_copy(&feed->point, feed->text.name),
       *criterion = strstr(path, "criterion/");
  for (char *next; criterion && (next = strstr(criterion + 1, "criterion/"));) criterion = next;
  char *name = criterion ? criterion + strlen("criterion/") : path;
  for (int i = 0; i < 2; i++) { /* the file, and "new" or "base" */
    char *slash = strrchr(name, '/');
    if (!slash) break;
    *slash = '\0';
  }
  char *rest = criterion ? strchr(name, '/') : NULL, *last = criterion ? NULL : strrchr(name, '/');
  if (rest) *rest++ = '\0';
  point->kernel = last ? last + 1 : name;
  point->case_name = rest;
}

pawl_status pawl_feed_criterion(struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_feed_point point = {0};
  struct pawl_json_span whole;
  struct pawl_times times = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  PAWL_TRY(pawl_json_span_parse(&feed->text, whole, &document, err));
  PAWL_TRY(read_times(document, pawl_arena_printf(&feed->point, "%s:1", feed->text.name),
                      &feed->point, &times, err));
  pawl_feed_start(feed, whole);
  PAWL_TRY(pawl_feed_run(feed, err));
  name_by_path(feed, &point);
  point.seconds = times.seconds;
  point.count = times.count;
  return pawl_feed_add(feed, &point, err);
}

/* --- a folder into the history: its benchmarks are one run --- */

/* What the run's id is made of. */
static enum pawl_status_code add_text(void *context,
                                      const struct pawl_criterion_benchmark *benchmark,
                                      struct pawl_error *err) {
  struct pawl_text *all = context;
  char *text = json_dumps(benchmark->document, JSON_COMPACT | JSON_SORT_KEYS);
  (void)err;
  pawl_text_printf(all, "%s %s %s\n", benchmark->group ? benchmark->group : "",
                   benchmark->group ? benchmark->rest : "", text ? text : "");
  free(text);
  return PAWL_OK;
}

static enum pawl_status_code feed_benchmark(void *context,
                                            const struct pawl_criterion_benchmark *benchmark,
                                            struct pawl_error *err) {
  struct pawl_feed *feed = context;
  struct pawl_times times = {0};
  PAWL_TRY(read_times(benchmark->document, benchmark->path, &feed->point, &times, err));
  const struct pawl_feed_point point = {.kernel = benchmark->group,
                                        .case_name = benchmark->group ? benchmark->rest : NULL,
                                        .seconds = times.seconds,
                                        .count = times.count};
  return pawl_feed_add(feed, &point, err);
}

static pawl_status feed_folder(struct pawl_feed *feed, struct pawl_text *all,
                               struct pawl_error *err) {
  PAWL_TRY(pawl_criterion_walk(feed->text.name, add_text, all, err));
  if (!all->length)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "'%s' has no benchmark of criterion: no GROUP/new/sample.json",
                     feed->text.name);
  feed->text.text = all->data;
  feed->text.length = all->length;
  pawl_feed_start(feed, (struct pawl_json_span){0, all->length});
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_criterion_walk(feed->text.name, feed_benchmark, feed, err);
}

pawl_status pawl_feed_criterion_folder(struct pawl_feed *feed, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text all = {0};
  const enum pawl_status_code status = feed_folder(feed, &all, err);
  feed->text.text = "";
  feed->text.length = 0;
  return status;
}
