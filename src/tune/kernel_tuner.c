/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/kernel_tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tune/insight.h"

#define CACHE_SCHEMA "1.1.0"
#define T4_SCHEMA "1.0.0"

/* A JSON number or boolean if the word is one (16, 0.5, 2.0, true); else a string. */
static json_t *value_to_json(const struct pawl_tune_value *value) {
  const double truth = pawl_tune_truth(value->word);
  if (!isnan(truth)) return json_boolean(truth > 0);
  const bool integer = !strpbrk(value->word, ".eE") || strchr(value->word, 'x');
  if (isnan(value->number)) return json_string(value->word);
  if (integer && value->number == floor(value->number) && fabs(value->number) < 0x1p53)
    return json_integer((json_int_t)value->number);
  return json_real(value->number);
}

static void set_params(const struct pawl_tune *tune, size_t index, json_t *object) {
  const uint16_t *levels = pawl_space_at(tune->space, index);
  for (size_t i = 0; i < tune->space->axis_count; i++)
    pawl_json_set(object, tune->space->axes[i].name,
                  value_to_json(&tune->space->axes[i].values[levels[i]]));
}

/* The data to export: the candidates, and the current parameters as one more result. */
struct export {
  const struct pawl_tune *tune;
  double current_ms;
  struct pawl_tune_candidate current;
};

static struct export export_of(const struct pawl_tune *tune) {
  struct export out = {.tune = tune, .current_ms = pawl_tune_current_ms(tune)};
  out.current = (struct pawl_tune_candidate){.index = tune->current_index,
                                             .outcome = PAWL_OUTCOME_OK,
                                             .same_as = PAWL_TUNE_CURRENT,
                                             .checked = true};
  return out;
}

/* NaN: nothing timed it. */
static double kernel_tuner_time_of(const struct export *out,
                                   const struct pawl_tune_candidate *candidate) {
  return pawl_tune_ratio(candidate) * out->current_ms;
}

/* Result i of the export; NULL: it has no information. */
static const struct pawl_tune_candidate *result_at(const struct export *out, size_t i) {
  const struct pawl_tune_candidate *candidate =
      i < out->tune->count ? &out->tune->candidates[i] : &out->current;
  if (candidate == &out->current && !out->tune->current_in_space) return NULL;
  return candidate->outcome != PAWL_OUTCOME_OK || kernel_tuner_time_of(out, candidate) > 0
             ? candidate
             : NULL;
}

/* "YYYY-MM-DD HH:MM:SS" as a date-time of RFC 3339. */
static json_t *timestamp(const struct pawl_tune *tune) {
  char text[24] = "";
  const size_t length = strlen(tune->timestamp);
  if (length < sizeof text - 2) memcpy(text, tune->timestamp, length + 1);
  char *space = strchr(text, ' ');
  if (space) *space = 'T';
  if (space) strcat(text, "Z");
  return json_string(text);
}

/* --- the cache --- */

static const char *failure_in_cache(const struct pawl_tune_candidate *candidate) {
  if (candidate->outcome == PAWL_OUTCOME_BUILD) return "CompilationFailedConfig";
  if (candidate->outcome == PAWL_OUTCOME_UNSUPPORTED) return "InvalidConfig";
  return "RuntimeFailedConfig";
}

static json_t *row_of_cache(const struct export *out, const struct pawl_tune_candidate *candidate) {
  json_t *row = json_object(), *times = json_array();
  const double time = kernel_tuner_time_of(out, candidate);
  const bool works = candidate->outcome == PAWL_OUTCOME_OK;
  set_params(out->tune, candidate->index, row);
  pawl_json_set(row, "time", works ? json_real(time) : json_string(failure_in_cache(candidate)));
  if (works) json_array_append_new(times, json_real(time));
  pawl_json_set(row, "times", times);
  pawl_json_set_number(row, "compile_time", candidate->build_seconds * 1e3);
  pawl_json_set_number(row, "verification_time", 0); /* included in the next time */
  pawl_json_set_number(row, "benchmark_time", candidate->measure_seconds * 1e3);
  pawl_json_set_number(row, "strategy_time", 0);
  pawl_json_set_number(row, "framework_time", 0);
  pawl_json_set(row, "timestamp", timestamp(out->tune));
  return row;
}

/* The result of Python's str() for a value: Kernel Tuner looks for it in the keys of a cache. */
static const char *python_word(const struct pawl_tune_value *value, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_json_release) json_t *json = value_to_json(value);
  return json_is_boolean(json) ? (json_is_true(json) ? "True" : "False")
                               : pawl_json_word(json, arena);
}

static void kernel_tuner_add_text(const json_t *value, struct pawl_text *out) {
  char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  PAWL_ASSERT(text);
  pawl_text_add(out, text);
  free(text);
}

static json_t *kernel_tuner_key_of(const struct pawl_tune *tune, size_t index,
                                   struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  const uint16_t *levels = pawl_space_at(tune->space, index);
  for (size_t axis = 0; axis < tune->space->axis_count; axis++) {
    if (axis) pawl_text_add(&key, ",");
    pawl_text_add(&key, python_word(&tune->space->axes[axis].values[levels[axis]], arena));
  }
  return json_string(pawl_text_string(&key));
}

/* Writes each row on its own line. Kernel Tuner cuts off the last three bytes and appends a
   comma and rows. So the text of a cache with rows ends in the bracket of a row and these three
   bytes. */
static void kernel_tuner_add_rows(const struct export *out, struct pawl_text *text) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const char *separator = "";
  for (size_t i = 0; i <= out->tune->count; i++) {
    const struct pawl_tune_candidate *candidate = result_at(out, i);
    if (!candidate) continue;
    PAWL_CLEANUP(pawl_json_release)
    json_t *key = kernel_tuner_key_of(out->tune, candidate->index, &arena);
    PAWL_CLEANUP(pawl_json_release) json_t *row = row_of_cache(out, candidate);
    pawl_text_printf(text, "%s\n", separator);
    kernel_tuner_add_text(key, text);
    pawl_text_add(text, ":");
    kernel_tuner_add_text(row, text);
    separator = ",";
  }
  pawl_text_add(text, "}\n}");
}

void pawl_tune_to_kernel_tuner_cache(const struct pawl_tune *tune, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_json_release) json_t *cache = json_object();
  const struct export export = export_of(tune);
  json_t *keys = json_array(), *params = json_object();
  for (size_t i = 0; i < tune->space->axis_count; i++) {
    const struct pawl_tune_axis *axis = &tune->space->axes[i];
    json_t *values = json_array();
    for (size_t j = 0; j < axis->count; j++)
      json_array_append_new(values, value_to_json(&axis->values[j]));
    json_array_append_new(keys, json_string(axis->name));
    pawl_json_set(params, axis->name, values);
  }
  pawl_json_set_string(cache, "schema_version", CACHE_SCHEMA);
  pawl_json_set_string(cache, "device_name", tune->hardware_name);
  pawl_json_set_string(cache, "kernel_name", tune->kernel_name);
  pawl_json_set_string(cache, "problem_size", tune->case_name);
  pawl_json_set(cache, "tune_params_keys", keys);
  pawl_json_set(cache, "tune_params", params);
  pawl_json_set_string(cache, "objective", "time");
  kernel_tuner_add_text(cache, out);
  out->data[--out->length] = '\0'; /* cuts the last bracket, because the rows follow */
  pawl_text_add(out, ",\n\"cache\":{");
  kernel_tuner_add_rows(&export, out);
}

/* --- T4 --- */

static const char *invalidity(enum pawl_outcome outcome) {
  switch (outcome) {
    case PAWL_OUTCOME_OK: return "correct";
    case PAWL_OUTCOME_WRONG: return "correctness";
    case PAWL_OUTCOME_BUILD: return "compile";
    case PAWL_OUTCOME_UNSUPPORTED: return "constraints";
    case PAWL_OUTCOME_HUNG: return "timeout";
    default: return "runtime";
  }
}

static json_t *result_of_t4(const struct export *out, const struct pawl_tune_candidate *candidate) {
  json_t *result = json_object(), *configuration = json_object(), *times = json_object();
  json_t *runtimes = json_array(), *measurements = json_array(), *objectives = json_array();
  const double time = kernel_tuner_time_of(out, candidate);
  set_params(out->tune, candidate->index, configuration);
  if (candidate->outcome == PAWL_OUTCOME_OK) {
    json_t *measurement = json_object();
    json_array_append_new(runtimes, json_real(time));
    pawl_json_set_string(measurement, "name", "time");
    pawl_json_set_number(measurement, "value", time);
    pawl_json_set_string(measurement, "unit", "ms");
    json_array_append_new(measurements, measurement);
  }
  json_array_append_new(objectives, json_string("time"));
  pawl_json_set_number(times, "compilation_time", candidate->build_seconds * 1e3);
  pawl_json_set(times, "runtimes", runtimes);
  pawl_json_set(result, "timestamp", timestamp(out->tune));
  pawl_json_set(result, "configuration", configuration);
  pawl_json_set(result, "times", times);
  pawl_json_set_string(result, "invalidity", invalidity(candidate->outcome));
  /* The schema requires a value; 0 also means that pawl did not compare the outputs. */
  pawl_json_set_number(result, "correctness",
                       candidate->outcome == PAWL_OUTCOME_OK && candidate->checked);
  pawl_json_set(result, "measurements", measurements);
  pawl_json_set(result, "objectives", objectives);
  return result;
}

json_t *pawl_tune_to_t4(const struct pawl_tune *tune) {
  json_t *document = json_object(), *results = json_array();
  const struct export export = export_of(tune);
  for (size_t i = 0; i <= tune->count; i++)
    if (result_at(&export, i))
      json_array_append_new(results, result_of_t4(&export, result_at(&export, i)));
  pawl_json_set_string(document, "schema_version", T4_SCHEMA);
  pawl_json_set(document, "results", results);
  return document;
}
