/* SPDX-License-Identifier: Apache-2.0 */
/* nvbench --json: benchmarks[].states[].summaries[{tag, data: [{name, type, value}]}], numbers as
   text, in seconds. The samples lie in a binary file beside it (--jsonbin). Without that file the
   median over them is the time of a state, or the mean in older files. In the history a benchmark
   is a kernel, and the values of its axes are the case; each device has a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
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

/* The entry of a summary's data that has this name: "value", "filename". */
static const json_t *find_entry(const json_t *summary, const char *name) {
  const json_t *data = json_object_get(summary, "data");
  for (size_t i = 0; i < json_array_size(data); i++) {
    const json_t *item = json_array_get(data, i);
    const char *found = json_string_value(json_object_get(item, "name"));
    if (found && !strcmp(found, name)) return item;
  }
  return NULL;
}

static const char *axes_of(struct pawl_arena *arena, const json_t *state) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const json_t *axes = json_object_get(state, "axis_values");
  for (size_t i = 0; i < json_array_size(axes); i++) {
    const json_t *axis = json_array_get(axes, i);
    const char *name = json_string_value(json_object_get(axis, "name"));
    const char *value = json_string_value(json_object_get(axis, "value"));
    if (name && value) pawl_text_printf(&text, "%s%s=%s", text.length ? "," : "", name, value);
  }
  return text.length ? pawl_arena_copy(arena, text.data) : NULL;
}

#define SAMPLES_TAG "nv/json/bin:nv/cold/sample_times"
#define MOST_SAMPLES ((size_t)16 << 20) /* in one file */

struct nvbench_reading {
  json_t *devices; /* a list; may be NULL */
  size_t place;    /* in `devices`: the run that is being fed */
  bool all;        /* every state, whatever its device */
  const char *benchmark;
  size_t lost_samples; /* states whose file of samples is not there */
};

static double nvbench_value_of(const json_t *state, const char *tag) {
  return pawl_feed_number(find_entry(find_summary(state, tag), "value"), "value");
}

/* The time by its summaries. A benchmark that is `cpu_only` has no GPU times. */
static void read_summary(const json_t *state, struct pawl_feed_point *out) {
  static const char *const tags[] = {"nv/cold/time/gpu/median",     "nv/cold/time/gpu/mean",
                                     "nv/cpu_only/time/cpu/median", "nv/cpu_only/time/cpu/mean",
                                     "nv/batch/time/gpu/mean",      "nv/cold/time/cpu/median",
                                     "nv/cold/time/cpu/mean"},
                           *const ascending[] = {"min", "q1", "median", "q3", "max"};
  for (size_t i = 0; i < PAWL_COUNT(ascending); i++) {
    char tag[40];
    snprintf(tag, sizeof tag, "nv/cold/time/gpu/%s", ascending[i]);
    pawl_feed_add_figure(out, ascending[i], nvbench_value_of(state, tag));
  }
  out->mean = (struct pawl_feed_figure){"mean", nvbench_value_of(state, tags[1])};
  for (size_t i = 0; i < PAWL_COUNT(tags); i++) {
    const json_t *summary = find_summary(state, tags[i]);
    if (!summary) continue;
    out->value = pawl_feed_number(find_entry(summary, "value"), "value");
    return;
  }
  out->fault = PAWL_FEED_NO_TIMES;
}

/* The samples beside the document. Versions before July 2026 write the path as their working folder
   saw it, of which the last two names count: "r.json-bin/0.bin". */
static const char *find_samples(const char *document, const char *name, struct pawl_arena *arena) {
  const char *last = strrchr(document, '/'), *slash = strrchr(name, '/'), *above = slash;
  const int folder = last ? (int)(last + 1 - document) : 0;
  const bool inside = *name != '/' && !strstr(name, "..");
  const char *path = pawl_arena_printf(arena, "%.*s%s", folder, document, name);
  if (inside && pawl_file_exists(path)) return path;
  while (above && above > name && above[-1] != '/') above--;
  if (!above || pawl_starts_with(above, "..")) return NULL;
  path = pawl_arena_printf(arena, "%.*s%s", folder, document, above);
  if (pawl_file_exists(path)) return path;
  path = pawl_arena_printf(arena, "%s-bin%s", document, slash); /* the document was renamed */
  return pawl_file_exists(path) ? path : NULL;
}

/* float32 in the order of bytes of x86 and ARM. Where the file is absent (whoever copies the
   document alone loses it) the summary stands for it. */
static void nvbench_read_samples(struct nvbench_reading *reading, struct pawl_feed *feed,
                                 const json_t *state, struct pawl_feed_point *out) {
  const json_t *entry = find_entry(find_summary(state, SAMPLES_TAG), "filename");
  const char *name = json_string_value(json_object_get(entry, "value"));
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text bytes = {0};
  struct pawl_error unreadable;
  if (!name || feed->sink.benchmark) return;
  const char *path = find_samples(feed->text.name, name, &feed->point);
  if (!path) {
    reading->lost_samples++;
    return;
  }
  if (pawl_file_read(path, MOST_SAMPLES * sizeof(float), &bytes, &unreadable) != PAWL_OK ||
      !bytes.length || bytes.length % sizeof(float)) {
    out->fault = pawl_arena_printf(&feed->point, "'%.200s' is no list of float32", path);
    return;
  }
  for (size_t i = 0; i < bytes.length / sizeof(float); i++) {
    float value;
    memcpy(&value, bytes.data + i * sizeof value, sizeof value);
    pawl_times_add(&out->times, (double)value, &feed->point);
  }
}

/* The place of the state's device in the list. A state without a device stands first. */
static size_t nvbench_place_of(const struct nvbench_reading *reading, const json_t *state) {
  const json_t *device = json_object_get(state, "device");
  for (size_t i = 0; json_is_integer(device) && i < json_array_size(reading->devices); i++) {
    const json_t *id = json_object_get(json_array_get(reading->devices, i), "id");
    if (json_is_integer(id) && json_integer_value(id) == json_integer_value(device)) return i;
  }
  return 0;
}

/* Whether another device before it in the list is the same model: one series for both would have
   two values for a commit. */
static bool has_twin(const struct nvbench_reading *reading) {
  const json_t *own = json_object_get(json_array_get(reading->devices, reading->place), "name");
  for (size_t i = 0; own && i < reading->place; i++)
    if (json_equal(own, json_object_get(json_array_get(reading->devices, i), "name"))) return true;
  return false;
}

/* "copy [T=I32,Elements=1024] on device 1". The first device has no number, so the name does not
   depend on how many are visible. */
static void make_names(const struct nvbench_reading *reading, const json_t *state,
                       struct pawl_arena *arena, struct pawl_feed_point *out) {
  const char *axes = axes_of(arena, state);
  const json_t *device = json_object_get(state, "device");
  const long long number = json_is_integer(device) ? (long long)json_integer_value(device) : 0;
  const char *where = number > 0 ? pawl_arena_printf(arena, "on device %lld", number) : NULL;
  out->kernel = reading->benchmark;
  out->case_name = axes;
  if (where && has_twin(reading))
    out->case_name = axes ? pawl_arena_printf(arena, "%s %s", axes, where) : where;
  out->name =
      pawl_arena_printf(arena, "%s%s%s%s%s%s", reading->benchmark, axes ? " [" : "",
                        axes ? axes : "", axes ? "]" : "", where ? " " : "", where ? where : "");
}

static enum pawl_status_code take_state(void *context, struct pawl_feed *feed, const json_t *state,
                                        struct pawl_error *err) {
  struct nvbench_reading *reading = context;
  struct pawl_feed_point point = {.value = NAN};
  if (!reading->all && nvbench_place_of(reading, state) != reading->place) return PAWL_OK;
  make_names(reading, state, &feed->point, &point);
  if (json_is_true(json_object_get(state, "is_skipped"))) {
    point.skipped = pawl_feed_reason(state, "skip_reason", "it was skipped");
    if (!point.skipped) point.skipped = "it was skipped";
  }
  read_summary(state, &point);
  nvbench_read_samples(reading, feed, state, &point);
  return pawl_feed_add(feed, &point, err);
}

struct nvbench_walk {
  struct nvbench_reading *reading;
  struct pawl_feed *feed;
};

static enum pawl_status_code nvbench_take_benchmark(void *context, struct pawl_json_span key,
                                                    struct pawl_json_span value,
                                                    struct pawl_error *err) {
  const struct nvbench_walk *walk = context;
  struct pawl_feed *feed = walk->feed;
  static const char *const names[] = {"name"};
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  struct pawl_json_span states;
  (void)key;
  if (!pawl_json_span_is_object(&feed->text, value)) {
    const struct pawl_feed_point none = {.kernel = "-", .fault = "it is no object"};
    return walk->reading->place ? PAWL_OK : pawl_feed_add(feed, &none, err);
  }
  PAWL_TRY(pawl_feed_members(feed, value, names, 1, &head, err));
  PAWL_TRY(pawl_json_span_member(&feed->text, value, "states", &states, err));
  const char *name = pawl_feed_text(&feed->arena, head, "name");
  walk->reading->benchmark = name ? name : "-";
  const bool listed = pawl_json_span_is_array(&feed->text, states);
  const char *first = listed ? feed->text.text + states.begin + 1 : "";
  if (listed && first[strspn(first, " \t\r\n")] != ']')
    return pawl_feed_each(feed, states, take_state, walk->reading, err);
  const struct pawl_feed_point point = {.kernel = walk->reading->benchmark,
                                        .fault = "it has no 'states'"};
  return walk->reading->place ? PAWL_OK : pawl_feed_add(feed, &point, err);
}

static pawl_status feed_device(struct nvbench_walk *walk, struct pawl_json_span whole,
                               struct pawl_json_span benchmarks, struct pawl_error *err) {
  struct pawl_feed *feed = walk->feed;
  struct nvbench_reading *reading = walk->reading;
  const json_t *device = json_array_get(reading->devices, reading->place);
  pawl_feed_start(feed, whole);
  feed->run.hardware = feed->run.hardware_name = pawl_feed_text(&feed->arena, device, "name");
  feed->run_number = reading->place;
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_json_span_each(&feed->text, benchmarks, nvbench_take_benchmark, walk, err);
}

pawl_status pawl_feed_nvbench(struct pawl_feed *feed, struct pawl_error *err) {
  static const char *const names[] = {"devices"};
  struct nvbench_reading reading = {.all = feed->sink.benchmark != NULL};
  struct nvbench_walk walk = {&reading, feed};
  struct pawl_json_span whole, benchmarks;
  PAWL_CLEANUP(pawl_json_release) json_t *head = NULL;
  PAWL_TRY(pawl_feed_start_list(feed, "benchmarks", &whole, &benchmarks, err));
  PAWL_TRY(pawl_feed_members(feed, whole, names, 1, &head, err));
  reading.devices = json_object_get(head, "devices");
  const size_t devices = reading.all ? 0 : json_array_size(reading.devices);
  for (; reading.place < (devices ? devices : 1); reading.place++)
    PAWL_TRY(feed_device(&walk, whole, benchmarks, err));
  if (reading.lost_samples)
    pawl_feed_note(feed,
                   "the samples of %zu states are not beside the file, in '%s-bin': their median "
                   "or mean stands for them",
                   reading.lost_samples, feed->text.name);
  return PAWL_OK;
}
