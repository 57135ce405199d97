/* SPDX-License-Identifier: Apache-2.0 */
/* nvbench --json: benchmarks[].states[].summaries[{tag, data: [{name, type, value}]}], numbers as
   text, in seconds. The samples themselves lie in a binary file beside it; a state's median over
   them (its mean, in older files) is its time.
 */
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

/* The number that a summary holds; -1: none. */
static double value_of(const json_t *summary) {
  const json_t *data = json_object_get(summary, "data");
  for (size_t i = 0; i < json_array_size(data); i++) {
    const json_t *item = json_array_get(data, i);
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *value = json_object_get(item, "value");
    double number;
    if (!name || strcmp(name, "value") != 0) continue;
    if (json_is_number(value)) return json_number_value(value);
    if (json_is_string(value) && pawl_parse_double(json_string_value(value), &number))
      return number;
  }
  return -1;
}

static pawl_status add_state(const json_t *state, const char *name, struct pawl_arena *arena,
                             struct pawl_times *times, struct pawl_error *err) {
  static const char *const tags[] = {"nv/cold/time/gpu/median", "nv/cold/time/gpu/mean",
                                     "nv/cold/time/cpu/mean"};
  for (size_t i = 0; i < PAWL_COUNT(tags); i++) {
    const json_t *summary = find_summary(state, tags[i]);
    if (summary) return pawl_times_add(times, value_of(summary), name, arena, err);
  }
  return pawl_fail(err, PAWL_BAD_DATA, "%s: a state without a summary '%s'", name, tags[1]);
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

/* "copy [T=I32,Elements=1024]", and the device where the file has several. */
static const char *state_name(const json_t *state, const char *benchmark, bool several,
                              struct pawl_arena *arena) {
  const char *axes = axes_of(arena, state);
  const json_t *device = json_object_get(state, "device");
  const char *name = axes ? pawl_arena_printf(arena, "%s [%s]", benchmark, axes) : benchmark;
  if (!several || !json_is_integer(device)) return name;
  return pawl_arena_printf(arena, "%s on device %lld", name, (long long)json_integer_value(device));
}

static pawl_status read_state(const json_t *state, const char *name,
                              struct pawl_benchmark_list *list, struct pawl_error *err) {
  struct pawl_times times = {0};
  bool skipped;
  const char *why;
  PAWL_TRY(pawl_json_get_bool(state, "is_skipped", list->file, false, &skipped, err));
  PAWL_TRY(pawl_json_get_string(state, "skip_reason", list->file, "it was skipped", &why, err));
  if (skipped) return pawl_benchmark_list_add_fault(list, name, false, why, err);
  PAWL_TRY(add_state(state, list->file, list->arena, &times, err));
  return pawl_benchmark_list_add(list, name, &times, err);
}

pawl_status pawl_import_nvbench(const json_t *document, struct pawl_benchmark_list *list,
                                struct pawl_error *err) {
  const json_t *benchmarks = json_object_get(document, "benchmarks");
  const bool several = json_array_size(json_object_get(document, "devices")) > 1;
  if (!json_is_array(benchmarks))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'benchmarks'", list->file);
  for (size_t i = 0; i < json_array_size(benchmarks); i++) {
    const json_t *item = json_array_get(benchmarks, i), *states = json_object_get(item, "states");
    const char *name;
    PAWL_TRY(pawl_json_get_string(item, "name", list->file, "", &name, err));
    for (size_t j = 0; j < json_array_size(states); j++) {
      const json_t *state = json_array_get(states, j);
      PAWL_TRY(read_state(state, state_name(state, name, several, list->arena), list, err));
    }
  }
  return PAWL_OK;
}

/* --- into the history: a benchmark is a kernel, the values of its axes are the case; a run for
 * each device --- */

#define SAMPLES_TAG "nv/json/bin:nv/cold/sample_times"
#define MOST_SAMPLES ((size_t)16 << 20) /* in one file */

struct nvbench_reading {
  struct pawl_feed *feed;
  json_t *devices;  /* a list; may be NULL */
  long long device; /* whose states are being read; -1: of all */
  char *benchmark;
};

/* A text of a summary's data: "filename". */
static const char *data_text(const json_t *summary, const char *name) {
  const json_t *data = json_object_get(summary, "data");
  for (size_t i = 0; i < json_array_size(data); i++) {
    const json_t *item = json_array_get(data, i);
    const char *found = json_string_value(json_object_get(item, "name"));
    if (found && !strcmp(found, name)) return json_string_value(json_object_get(item, "value"));
  }
  return NULL;
}

/* The samples lie in a file beside the document, as float32 in the order of bytes of x86 and ARM.
   Where it is absent (one copied the document alone) the summary stands for them. */
static pawl_status read_samples(struct pawl_feed *feed, const json_t *state,
                                struct pawl_feed_point *point, struct pawl_error *err) {
  const char *name = data_text(find_summary(state, SAMPLES_TAG), "filename");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text bytes = {0};
  if (!name || *name == '/' || strstr(name, "..")) return PAWL_OK;
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(feed->text.name);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  if (!pawl_file_exists(path)) return PAWL_OK;
  PAWL_TRY(pawl_file_read(path, MOST_SAMPLES * sizeof(float), &bytes, err));
  const size_t count = bytes.length / sizeof(float);
  if (!count || bytes.length % sizeof(float))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is no list of float32", path);
  double *seconds = pawl_arena_alloc(&feed->point, count, sizeof *seconds);
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, bytes.data + i * sizeof value, sizeof value);
    seconds[i] = (double)value;
  }
  point->seconds = seconds;
  point->count = count;
  return PAWL_OK;
}

static enum pawl_status_code feed_state(void *context, struct pawl_json_span key,
                                        struct pawl_json_span value, struct pawl_error *err) {
  struct nvbench_reading *reading = context;
  struct pawl_feed *feed = reading->feed;
  PAWL_CLEANUP(pawl_json_release) json_t *state = NULL;
  struct pawl_feed_point point = {.position = value.begin, .kernel = reading->benchmark};
  struct pawl_times times = {0};
  (void)key;
  PAWL_TRY(pawl_json_span_parse(&feed->text, value, &state, err));
  const json_t *device = json_object_get(state, "device");
  if (reading->device >= 0 && json_is_integer(device) &&
      json_integer_value(device) != reading->device)
    return PAWL_OK;
  if (json_is_true(json_object_get(state, "is_skipped"))) return PAWL_OK;
  if (add_state(state, "state", &feed->point, &times, err) != PAWL_OK)
    return pawl_json_span_fail(&feed->text, value.begin, err,
                               "a state without a time in nv/cold/time/gpu/mean");
  PAWL_TRY(read_samples(feed, state, &point, err));
  if (!point.count) point.seconds = times.seconds, point.count = times.count;
  point.case_name = axes_of(&feed->point, state);
  return pawl_feed_add(feed, &point, err);
}

static enum pawl_status_code feed_nvbench_benchmark(void *context, struct pawl_json_span key,
                                                    struct pawl_json_span value,
                                                    struct pawl_error *err) {
  struct nvbench_reading *reading = context;
  struct pawl_json_span name, states;
  PAWL_CLEANUP(pawl_json_release) json_t *text = NULL;
  (void)key;
  PAWL_TRY(pawl_json_span_member(&reading->feed->text, value, "name", &name, err));
  PAWL_TRY(pawl_json_span_member(&reading->feed->text, value, "states", &states, err));
  if (name.begin == name.end || !pawl_json_span_is_array(&reading->feed->text, states))
    return pawl_json_span_fail(&reading->feed->text, value.begin, err,
                               "a benchmark without 'name' and 'states'");
  PAWL_TRY(pawl_json_span_parse(&reading->feed->text, name, &text, err));
  reading->benchmark = pawl_arena_copy(&reading->feed->arena, json_string_value(text));
  return pawl_json_span_each(&reading->feed->text, states, feed_state, reading, err);
}

static pawl_status feed_device(struct nvbench_reading *reading, size_t place,
                               struct pawl_json_span whole, struct pawl_json_span benchmarks,
                               struct pawl_error *err) {
  struct pawl_feed *feed = reading->feed;
  const json_t *device = json_array_get(reading->devices, place),
               *id = json_object_get(device, "id");
  pawl_feed_start(feed, whole);
  feed->run.hardware = feed->run.hardware_name = pawl_feed_text(&feed->arena, device, "name");
  reading->device = json_is_integer(id) ? json_integer_value(id) : -1;
  if (place) feed->run.id = pawl_feed_other_id(feed, place);
  PAWL_TRY(pawl_feed_run(feed, err));
  return pawl_json_span_each(&feed->text, benchmarks, feed_nvbench_benchmark, reading, err);
}

pawl_status pawl_feed_nvbench(struct pawl_feed *feed, struct pawl_error *err) {
  struct nvbench_reading reading = {.feed = feed};
  struct pawl_json_span whole, benchmarks, devices;
  PAWL_TRY(pawl_json_span_next(&feed->text, 0, &whole, err));
  PAWL_TRY(pawl_json_span_member(&feed->text, whole, "benchmarks", &benchmarks, err));
  PAWL_TRY(pawl_json_span_member(&feed->text, whole, "devices", &devices, err));
  if (!pawl_json_span_is_array(&feed->text, benchmarks))
    return pawl_json_span_fail(&feed->text, whole.begin, err, "no list 'benchmarks'");
  if (devices.begin < devices.end)
    PAWL_TRY(pawl_json_span_parse(&feed->text, devices, &reading.devices, err));
  const size_t count = json_array_size(reading.devices) ? json_array_size(reading.devices) : 1;
  enum pawl_status_code status = PAWL_OK;
  for (size_t i = 0; i < count && status == PAWL_OK; i++)
    status = feed_device(&reading, i, whole, benchmarks, err);
  json_decref(reading.devices);
  return status;
}
