/* SPDX-License-Identifier: Apache-2.0 */
/* criterion.rs, target/criterion/ID/new/sample.json: {sampling_mode, iters: [n], times: [t]}, where
   t is the nanoseconds of n iterations; versions before 0.3.4 write the two lists alone. In the
   estimates.json beside it, the median stands for the samples. In the history a group is a kernel,
   and the rest of the name is the case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/criterion_folder.h"
#include "import/import.h"

#define NANOSECOND 1e-9

static void criterion_read_samples(const json_t *iterations, const json_t *times,
                                   struct pawl_arena *arena, struct pawl_feed_point *out) {
  const size_t count = json_array_size(times);
  if (!count || json_array_size(iterations) != count) {
    out->fault = "'iters' and 'times' are not two lists of one length";
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const json_t *time = json_array_get(times, i), *number = json_array_get(iterations, i);
    const double calls = json_is_number(number) ? json_number_value(number) : 0;
    const double all = json_is_number(time) ? json_number_value(time) : (double)NAN;
    pawl_times_add(&out->times, calls >= 1 ? all / calls * NANOSECOND : (double)NAN, arena);
  }
}

static void criterion_read_document(const json_t *document, struct pawl_arena *arena,
                                    struct pawl_feed_point *out) {
  const json_t *median = json_object_get(document, "median");
  const bool is_old = json_is_array(document);
  static const char *const below[] = {"lower_bound", NULL}, *const above[] = {"upper_bound", NULL};
  const json_t *interval = json_object_get(median, "confidence_interval");
  if (median) {
    out->value = pawl_feed_number(median, "point_estimate") * NANOSECOND;
    pawl_feed_figures(out, interval, below, NULL, NANOSECOND);
    pawl_feed_add_figure(out, "point_estimate", out->value);
    pawl_feed_figures(out, interval, above, NULL, NANOSECOND);
  } else if (is_old)
    criterion_read_samples(json_array_get(document, 0), json_array_get(document, 1), arena, out);
  else
    criterion_read_samples(json_object_get(document, "iters"), json_object_get(document, "times"),
                           arena, out);
}

/* --- one file: it is one benchmark --- */

/* The path GROUP/FUNCTION/VALUE/new/sample.json names it. benchmark.json beside it says so too, but
   a copy of one file loses it. */
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
  struct pawl_feed_point point = {.value = NAN};
  struct pawl_json_span whole;
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  PAWL_TRY(pawl_json_span_parse(&feed->text, whole, &document, err));
  if (!json_is_array(document) && !json_object_get(document, "median") &&
      !json_object_get(document, "iters"))
    return pawl_json_span_fail(&feed->text, whole.begin, err,
                               "neither a sample.json nor an estimates.json of criterion");
  pawl_feed_start(feed, whole);
  PAWL_TRY(pawl_feed_run(feed, err));
  criterion_read_document(document, &feed->point, &point);
  if (!feed->sink.benchmark) name_by_path(feed, &point); /* a command has one, without a name */
  return pawl_feed_add(feed, &point, err);
}

/* --- a folder: its benchmarks are one run --- */

/* Adds what the run's id is made of. */
static enum pawl_status_code criterion_add_text(void *context,
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

static enum pawl_status_code criterion_take_benchmark(
    void *context, const struct pawl_criterion_benchmark *benchmark, struct pawl_error *err) {
  struct pawl_feed *feed = context;
  struct pawl_feed_point point = {.kernel = benchmark->group,
                                  .case_name = benchmark->group ? benchmark->rest : NULL,
                                  .fault = benchmark->fault,
                                  .value = NAN};
  if (benchmark->document) criterion_read_document(benchmark->document, &feed->point, &point);
  return pawl_feed_add(feed, &point, err);
}

static pawl_status feed_folder(struct pawl_feed *feed, struct pawl_text *all,
                               struct pawl_error *err) {
  PAWL_TRY(pawl_criterion_walk(feed->text.name, criterion_add_text, all, err));
  if (!all->length) return PAWL_OK;
  feed->text.text = all->data;
  feed->text.length = all->length;
  pawl_feed_start(feed, (struct pawl_json_span){0, all->length});
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_criterion_walk(feed->text.name, criterion_take_benchmark, feed, err);
}

pawl_status pawl_feed_criterion_folder(struct pawl_feed *feed, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text all = {0};
  const enum pawl_status_code status = feed_folder(feed, &all, err);
  feed->text.text = "";
  feed->text.length = 0;
  return status;
}
