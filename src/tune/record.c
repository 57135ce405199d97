/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 60000u /* of one parameter: indices have 16 bits */

/* A document of either kind, looked at alike. */
struct source {
  const char *name;
  json_t *rows; /* borrowed objects */
  struct pawl_tune_axis *axes;
  size_t axis_count;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

/* The text of a parameter's value; NULL: it is none. */
static const char *text_of(const json_t *value, struct pawl_arena *arena) {
  if (json_is_string(value)) return pawl_arena_copy(arena, json_string_value(value));
  if (json_is_integer(value)) return pawl_arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  if (json_is_real(value)) return pawl_arena_printf(arena, "%.17g", json_real_value(value));
  if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
  return NULL;
}

static const json_t *params_of(const json_t *row) {
  const json_t *params = json_object_get(row, "params");
  return params ? params : row;
}

static pawl_status value_of(const struct source *source, size_t row, size_t axis, const char **out) {
  const json_t *params = params_of(json_array_get(source->rows, row));
  *out = text_of(json_object_get(params, source->axes[axis].name), source->arena);
  if (*out) return PAWL_OK;
  return pawl_fail(source->err, PAWL_BAD_DATA, "%s: configuration %zu has no value of '%.60s'", source->name, row + 1,
                   source->axes[axis].name);
}

/* Numbers by size, then words by their letters. */
static int by_size(const void *a, const void *b) {
  const struct pawl_tune_value *left = a, *right = b;
  const bool left_number = !isnan(left->number), right_number = !isnan(right->number);
  if (left_number != right_number) return left_number ? -1 : 1;
  if (left_number && left->number != right->number) return left->number < right->number ? -1 : 1;
  return left_number ? 0 : strcmp(left->word, right->word);
}

static pawl_status collect_values(const struct source *source, size_t axis) {
  struct pawl_tune_axis *out = &source->axes[axis];
  const size_t rows = json_array_size(source->rows);
  struct pawl_tune_value *values = pawl_arena_alloc(source->arena, rows, sizeof *values);
  out->ordinal = true;
  for (size_t i = 0; i < rows; i++) {
    const char *text;
    PAWL_TRY(value_of(source, i, axis, &text));
    values[i] = pawl_tune_value_of(text);
    if (isnan(values[i].number)) out->ordinal = false;
  }
  qsort(values, rows, sizeof *values, by_size);
  for (size_t i = 0; i < rows; i++) {
    if (out->count && !by_size(&values[out->count - 1], &values[i])) continue;
    values[out->count++] = values[i];
  }
  if (out->count > MOST_VALUES)
    return pawl_fail(source->err, PAWL_BAD_DATA, "%s: '%.60s' has more than %u values", source->name, out->name,
                     MOST_VALUES);
  out->values = values;
  return PAWL_OK;
}

static pawl_status fill_space(const struct source *source, struct pawl_tune_record *record) {
  const size_t rows = json_array_size(source->rows), axes = source->axis_count;
  uint16_t *all = pawl_arena_alloc(source->arena, rows * axes, sizeof *all);
  for (size_t i = 0; i < rows; i++) {
    for (size_t axis = 0; axis < axes; axis++) {
      const char *text;
      PAWL_TRY(value_of(source, i, axis, &text));
      const struct pawl_tune_axis *values = &source->axes[axis];
      const struct pawl_tune_value value = pawl_tune_value_of(text), *at;
      at = bsearch(&value, values->values, values->count, sizeof value, by_size);
      PAWL_ASSERT(at);
      all[i * axes + axis] = (uint16_t)(at - values->values);
    }
  }
  if (pawl_space_of_list(&record->space, source->axes, axes, all, rows, source->arena, source->err) != PAWL_OK)
    return pawl_prefix(source->err, "%s", source->name);
  record->times = pawl_arena_alloc(source->arena, rows, sizeof *record->times);
  record->best = NAN;
  for (size_t i = 0; i < rows; i++) {
    const json_t *row = json_array_get(source->rows, i), *time = json_object_get(row, "time");
    if (!time) time = json_object_get(row, "median_ms");
    const double number = json_is_number(time) ? json_number_value(time) : NAN;
    const bool works = number > 0 && number < 1e12;
    record->times[pawl_space_find(&record->space, &all[i * axes])] = works ? number : NAN;
    record->failed += !works;
    if (works && !(number >= record->best)) record->best = number;
  }
  return PAWL_OK;
}

static void use_name(struct source *source, const char *name) {
  source->axes[source->axis_count++].name = pawl_arena_copy(source->arena, name);
}

/* The names of the parameters: as listed, or those of the first candidate. */
static pawl_status find_names(struct source *source, const json_t *document) {
  const json_t *keys = json_object_get(document, "tune_params_keys"), *key;
  const json_t *params = json_object_get(json_array_get(source->rows, 0), "params");
  const size_t count = json_is_array(keys) ? json_array_size(keys) : json_object_size(params);
  size_t i;
  const char *name;
  json_t *ignored;
  if (!count || count > PAWL_TUNE_MOST_DIMENSIONS)
    return pawl_fail(source->err, PAWL_BAD_DATA, "%s: it has no parameters ('tune_params_keys'), or too many",
                     source->name);
  source->axes = pawl_arena_alloc(source->arena, count, sizeof *source->axes);
  if (json_is_array(keys)) {
    json_array_foreach(keys, i, key) {
      if (!json_is_string(key))
        return pawl_fail(source->err, PAWL_BAD_DATA, "%s: 'tune_params_keys' must contain names", source->name);
      use_name(source, json_string_value(key));
    }
    return PAWL_OK;
  }
  json_object_foreach((json_t *)(uintptr_t)params, name, ignored) use_name(source, name);
  return PAWL_OK;
}

static pawl_status find_rows(struct source *source, const json_t *document) {
  json_t *cache = json_object_get(document, "cache"), *candidates = json_object_get(document, "candidates"), *row;
  const char *key;
  size_t i;
  if (json_is_object(cache)) {
    json_object_foreach(cache, key, row) json_array_append(source->rows, row);
  } else if (json_is_array(candidates)) {
    json_array_foreach(candidates, i, row) json_array_append(source->rows, row);
  } else {
    return pawl_fail(source->err, PAWL_BAD_DATA, "%s: it is not a cache of Kernel Tuner and not a tune.json",
                     source->name);
  }
  const size_t count = json_array_size(source->rows);
  if (!count || count > PAWL_TUNE_MOST_CONFIGURATIONS)
    return pawl_fail(source->err, PAWL_BAD_DATA, "%s: it has no configurations, or more than %u", source->name,
                     PAWL_TUNE_MOST_CONFIGURATIONS);
  return PAWL_OK;
}

pawl_status pawl_tune_record_read(const char *path, struct pawl_arena *arena, struct pawl_tune_record *out,
                                  struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *rows = json_array();
  struct source source = {.name = path, .rows = rows, .arena = arena, .err = err};
  struct pawl_tune_record record = {0};
  const char *text;
  PAWL_TRY(pawl_json_read(path, &document, err));
  PAWL_TRY(find_rows(&source, document));
  PAWL_TRY(find_names(&source, document));
  for (size_t i = 0; i < source.axis_count; i++) PAWL_TRY(collect_values(&source, i));
  PAWL_TRY(fill_space(&source, &record));
  PAWL_TRY(pawl_json_get_string(document, "kernel_name", path, NULL, &text, err));
  record.kernel_name = pawl_arena_copy(arena, text);
  PAWL_TRY(pawl_json_get_string(document, "device_name", path, NULL, &text, err));
  record.device_name = pawl_arena_copy(arena, text);
  *out = record;
  return PAWL_OK;
}

pawl_status pawl_tune_replay_run(const struct pawl_tune_record *record, const char *strategy, size_t evaluations,
                                 uint64_t seed, struct pawl_arena *arena, struct pawl_tune_replay *out,
                                 struct pawl_error *err) {
  struct pawl_search search;
  const size_t count = record->space.count, most = evaluations && evaluations < count ? evaluations : count;
  PAWL_TRY(pawl_search_init(&search, &record->space, strategy, seed, most, err));
  struct pawl_tune_replay replay = {.strategy = search.strategy->name, .seed = seed, .evaluations = most};
  replay.steps = pawl_arena_alloc(arena, most, sizeof *replay.steps);
  for (size_t i = 1; i <= most; i++) {
    const size_t index = pawl_search_next(&search), before = search.best;
    pawl_search_tell(&search, index, record->times[index]);
    if (isnan(record->times[index])) replay.failed++;
    if (search.best == before) continue;
    replay.steps[replay.step_count++] = (struct pawl_tune_step){i, index, record->times[index]};
  }
  pawl_search_release(&search);
  *out = replay;
  return PAWL_OK;
}

static json_t *step_to_json(const struct pawl_tune_record *record, const struct pawl_tune_step *step) {
  json_t *object = json_object(), *params = json_object();
  pawl_json_set_int(object, "evaluations", (long long)step->evaluations);
  pawl_json_set_number(object, "time_ms", step->time);
  pawl_json_set_number(object, "over_optimum", step->time / record->best);
  for (size_t i = 0; i < record->space.axis_count; i++)
    pawl_json_set_string(params, record->space.axes[i].name, pawl_space_value(&record->space, step->index, i));
  pawl_json_set(object, "params", params);
  return object;
}

json_t *pawl_tune_replay_to_json(const struct pawl_tune_record *record, const struct pawl_tune_replay *replay) {
  json_t *object = json_object(), *steps = json_array();
  char seed[24]; /* as text: not every reader of JSON keeps 64 bits */
  snprintf(seed, sizeof seed, "%" PRIu64, replay->seed);
  pawl_json_set_int(object, "schema_version", 1);
  pawl_json_set_string(object, "kernel_name", record->kernel_name);
  pawl_json_set_string(object, "device_name", record->device_name);
  pawl_json_set_int(object, "configurations", (long long)record->space.count);
  pawl_json_set_number(object, "optimum_ms", record->best);
  pawl_json_set_string(object, "strategy", replay->strategy);
  pawl_json_set_string(object, "seed", seed);
  pawl_json_set_int(object, "evaluations", (long long)replay->evaluations);
  pawl_json_set_int(object, "failed", (long long)replay->failed);
  for (size_t i = 0; i < replay->step_count; i++) json_array_append_new(steps, step_to_json(record, &replay->steps[i]));
  pawl_json_set(object, "best_found", steps);
  return object;
}
