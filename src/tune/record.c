/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/zip.h"
#include "model/fields.h"
#include "tune/insight.h"
#include "tune/journal.h"
#include "tune/tune.h"

#define MOST_VALUES 60000u /* values of one parameter: an index has 16 bits */

/* A document in any of the formats. */
struct source {
  const char *name;
  json_t *rows;      /* borrowed objects */
  double current_ms; /* the time of the current parameters in a result of pawl; NaN: none */
  struct pawl_tune_axis *axes;
  size_t axis_count;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

static const json_t *params_of(const json_t *row) {
  const json_t *params = json_object_get(row, "params");
  if (!params) params = json_object_get(row, "configuration");
  return params ? params : row;
}

/* Milliseconds in a unit of time; 0: no unit of time. T4 names no units; Kernel Tuner and BAT
   write "ms". */
static double milliseconds_in(const char *unit) {
  static const struct unit {
    const char *name;
    double milliseconds;
  } units[] = {
      {"ms", 1},    {"milliseconds", 1},    {"s", 1e3},   {"seconds", 1e3},     {"us", 1e-3},
      {"µs", 1e-3}, {"microseconds", 1e-3}, {"ns", 1e-6}, {"nanoseconds", 1e-6}};
  for (size_t i = 0; i < PAWL_COUNT(units); i++)
    if (!strcmp(units[i].name, unit)) return units[i].milliseconds;
  return 0;
}

/* The mean of T4's "runtimes" in milliseconds; NaN: there are none. */
static double mean_runtime(const json_t *row) {
  const json_t *runtimes = json_object_get(json_object_get(row, "times"), "runtimes"), *item;
  double sum = 0;
  size_t i;
  json_array_foreach((json_t *)(uintptr_t)runtimes, i, item) sum +=
      json_is_number(item) ? json_number_value(item) : NAN;
  return json_array_size(runtimes) ? sum / (double)json_array_size(runtimes) : NAN;
}

/* The time of a T4 result in milliseconds: the measurement "time", else the mean of the
   runtimes; NaN: it failed. */
static pawl_status time_in_t4(const struct source *source, const json_t *row, double *out) {
  const json_t *measurements = json_object_get(row, "measurements"), *item;
  const char *validity = json_string_value(json_object_get(row, "invalidity"));
  size_t i;
  *out = NAN;
  if (validity && strcmp(validity, "correct") != 0)
    return PAWL_OK; /* a result of this kind may have a time */
  json_array_foreach((json_t *)(uintptr_t)measurements, i, item) {
    const char *name = json_string_value(json_object_get(item, "name"));
    const char *unit = json_string_value(json_object_get(item, "unit"));
    const json_t *value = json_object_get(item, "value");
    if (!name || strcmp(name, "time") != 0) continue;
    const double scale = milliseconds_in(unit ? unit : "ms");
    if (!(scale > 0))
      return pawl_fail(source->err, PAWL_BAD_DATA,
                       "%s: a time has the unit '%.40s'; use ms, s, us or ns", source->name, unit);
    *out = json_is_number(value) ? scale * json_number_value(value) : NAN;
    return PAWL_OK;
  }
  *out = mean_runtime(row);
  if (validity && isnan(*out))
    return pawl_fail(source->err, PAWL_BAD_DATA,
                     "%s: a correct result has no measurement 'time' and no 'runtimes'",
                     source->name);
  return PAWL_OK;
}

static double number_in(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A candidate keeps its time if a check finds it wrong later. */
static bool was_found_wrong(const json_t *row) {
  const char *outcome = json_string_value(json_object_get(row, "outcome"));
  return outcome && strcmp(outcome, "ok") != 0;
}

static bool works(const json_t *row) {
  return !was_found_wrong(row) && number_in(row, "median_ms") > 0 &&
         number_in(row, "current_ms") > 0;
}

/* Returns whether it has a time on every case, if the row names cases. */
static bool is_timed_on_all(const json_t *row) {
  const json_t *cases = json_object_get(row, "times");
  for (size_t i = 0; i < json_array_size(cases); i++)
    if (!(number_in(json_array_get(cases, i), "current_ms") > 0)) return false;
  return true;
}

/* Does what pawl_tune_current_ms() does. */
static double find_current_ms(const json_t *rows) {
  struct pawl_tune_base_time *times = pawl_alloc(json_array_size(rows) + 1, sizeof *times);
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    if (works(row))
      times[count++] =
          (struct pawl_tune_base_time){number_in(row, "current_ms"), is_timed_on_all(row)};
  }
  const double scale = pawl_tune_scale(times, count);
  pawl_free(times);
  return scale;
}

/* The time of a candidate of pawl, as kernel_tuner.c exports it. */
static double time_beside_current(const struct source *source, const json_t *row) {
  const char *same = json_string_value(json_object_get(row, "same_as"));
  if (was_found_wrong(row)) return NAN;
  if (same && !strcmp(same, PAWL_TUNE_CURRENT)) return source->current_ms;
  if (!(source->current_ms > 0)) return number_in(row, "median_ms");
  return number_in(row, "median_ms") / number_in(row, "current_ms") * source->current_ms;
}

/* NaN: it failed. */
static pawl_status record_time_of(const struct source *source, const json_t *row, double *out) {
  if (json_object_get(row, "time"))
    *out = number_in(row, "time");
  else if (json_object_get(row, "median_ms"))
    *out = time_beside_current(source, row);
  else
    PAWL_TRY(time_in_t4(source, row, out));
  if (!(*out > 0 && *out < 1e12)) *out = NAN;
  return PAWL_OK;
}

static pawl_status record_value_of(const struct source *source, size_t row, size_t axis,
                                   const char **out) {
  const json_t *params = params_of(json_array_get(source->rows, row));
  *out = pawl_json_word(json_object_get(params, source->axes[axis].name), source->arena);
  if (*out) return PAWL_OK;
  return pawl_fail(source->err, PAWL_BAD_DATA, "%s: configuration %zu has no value of '%.60s'",
                   source->name, row + 1, source->axes[axis].name);
}

/* Numbers come first, by size, then words in alphabetical order. */
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
    PAWL_TRY(record_value_of(source, i, axis, &text));
    values[i] = pawl_tune_value_of(text);
    if (isnan(values[i].number)) out->ordinal = false;
  }
  qsort(values, rows, sizeof *values, by_size);
  for (size_t i = 0; i < rows; i++) {
    if (out->count && !by_size(&values[out->count - 1], &values[i])) continue;
    values[out->count++] = values[i];
  }
  if (out->count > MOST_VALUES)
    return pawl_fail(source->err, PAWL_BAD_DATA, "%s: '%.60s' has more than %u values",
                     source->name, out->name, MOST_VALUES);
  out->values = values;
  return PAWL_OK;
}

static pawl_status fill_space(const struct source *source, struct pawl_tune_record *record) {
  const size_t rows = json_array_size(source->rows), axes = source->axis_count;
  uint16_t *all = pawl_arena_alloc(source->arena, rows * axes, sizeof *all);
  for (size_t i = 0; i < rows; i++) {
    for (size_t axis = 0; axis < axes; axis++) {
      const char *text;
      PAWL_TRY(record_value_of(source, i, axis, &text));
      const struct pawl_tune_axis *values = &source->axes[axis];
      const struct pawl_tune_value value = pawl_tune_value_of(text), *at;
      at = bsearch(&value, values->values, values->count, sizeof value, by_size);
      PAWL_ASSERT(at);
      all[i * axes + axis] = (uint16_t)(at - values->values);
    }
  }
  if (pawl_space_of_list(&record->space, source->axes, axes, all, rows, source->arena,
                         source->err) != PAWL_OK)
    return pawl_prefix(source->err, "%s", source->name);
  record->times = pawl_arena_alloc(source->arena, rows, sizeof *record->times);
  record->best = NAN;
  for (size_t i = 0; i < rows; i++) {
    double time;
    PAWL_TRY(record_time_of(source, json_array_get(source->rows, i), &time));
    record->times[pawl_space_find(&record->space, &all[i * axes])] = time;
    record->failed += isnan(time) ? 1 : 0;
    if (time > 0 && !(time >= record->best)) record->best = time;
  }
  return PAWL_OK;
}

static void use_name(struct source *source, const char *name) {
  source->axes[source->axis_count++].name = pawl_arena_copy(source->arena, name);
}

/* The names of the parameters: the listed ones, or those of the first candidate. */
static pawl_status find_names(struct source *source, const json_t *document) {
  const json_t *keys = json_object_get(document, "tune_params_keys"), *key;
  const json_t *first = json_array_get(source->rows, 0), *params = params_of(first);
  if (params == first) params = NULL; /* a cache has the names in tune_params_keys */
  const size_t count = json_is_array(keys) ? json_array_size(keys) : json_object_size(params);
  size_t i;
  const char *name;
  json_t *ignored;
  if (!count || count > PAWL_TUNE_MOST_DIMENSIONS)
    return pawl_fail(source->err, PAWL_BAD_DATA,
                     "%s: it has no parameters ('tune_params_keys'), or too many", source->name);
  source->axes = pawl_arena_alloc(source->arena, count, sizeof *source->axes);
  if (json_is_array(keys)) {
    json_array_foreach(keys, i, key) {
      if (!json_is_string(key))
        return pawl_fail(source->err, PAWL_BAD_DATA, "%s: 'tune_params_keys' must contain names",
                         source->name);
      for (size_t j = 0; j < source->axis_count; j++)
        if (!strcmp(source->axes[j].name, json_string_value(key)))
          return pawl_fail(source->err, PAWL_BAD_DATA, "%s: 'tune_params_keys' has '%.60s' twice",
                           source->name, json_string_value(key));
      use_name(source, json_string_value(key));
    }
    return PAWL_OK;
  }
  json_object_foreach((json_t *)(uintptr_t)params, name, ignored) use_name(source, name);
  return PAWL_OK;
}

static pawl_status find_rows(struct source *source, const json_t *document) {
  json_t *cache = json_object_get(document, "cache"),
         *candidates = json_object_get(document, "candidates"), *row;
  if (!candidates) candidates = json_object_get(document, "results"); /* the key of T4 */
  const char *key;
  size_t i;
  if (json_is_object(cache)) {
    json_object_foreach(cache, key, row) json_array_append(source->rows, row);
  } else if (json_is_array(candidates)) {
    json_array_foreach(candidates, i, row) json_array_append(source->rows, row);
  } else {
    return pawl_fail(source->err, PAWL_BAD_DATA,
                     "%s: it is no cache of Kernel Tuner, no T4 results, and no tune.json or "
                     "journal of a tuning with candidates",
                     source->name);
  }
  const size_t count = json_array_size(source->rows);
  if (!count || count > PAWL_TUNE_MOST_CONFIGURATIONS)
    return pawl_fail(source->err, PAWL_BAD_DATA, "%s: it has no configurations, or more than %u",
                     source->name, PAWL_TUNE_MOST_CONFIGURATIONS);
  return PAWL_OK;
}

/* Kernel Tuner writes the last two brackets of a cache only at the end, so an interrupted cache
   lacks them. A journal of pawl has one document a line. */
static pawl_status record_read_document(const char *path, struct pawl_arena *arena, json_t **out,
                                        struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  PAWL_TRY(pawl_gunzip(&text, PAWL_JSON_FILE_LIMIT, path, err));
  if (pawl_json_parse(text.data, text.length, path, true, out, &ignored) == PAWL_OK) return PAWL_OK;
  size_t length = text.length;
  while (length && strchr(" \n\r\t,", text.data[length - 1])) length--;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text closed = {0};
  pawl_text_add_bytes(&closed, text.data, length);
  pawl_text_add(&closed, "}}");
  if (pawl_json_parse(closed.data, closed.length, path, true, out, err) == PAWL_OK) return PAWL_OK;
  PAWL_TRY(pawl_tune_journal_to_document(text.data, text.length, path, arena, out, err));
  if (*out) return PAWL_OK;
  *err = ignored;
  return (enum pawl_status_code)ignored.code;
}

pawl_status pawl_tune_record_read(const char *path, struct pawl_arena *arena,
                                  struct pawl_tune_record *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *rows = json_array();
  struct source source = {.name = path, .rows = rows, .arena = arena, .err = err};
  struct pawl_tune_record record = {0};
  const char *text;
  PAWL_TRY(record_read_document(path, arena, &document, err));
  if (json_is_integer(
          /* pawl's version is an integer, and the other formats have "1.0.0" */
          json_object_get(document, "schema_version")))
    PAWL_TRY(pawl_json_check_version(document, &PAWL_JSON_KEY(NULL, path), PAWL_TUNE_SCHEMA, err));
  PAWL_TRY(find_rows(&source, document));
  source.current_ms = find_current_ms(rows);
  PAWL_TRY(find_names(&source, document));
  for (size_t i = 0; i < source.axis_count; i++) PAWL_TRY(collect_values(&source, i));
  PAWL_TRY(fill_space(&source, &record));
  PAWL_TRY(pawl_json_get_string(document, "kernel_name", path, NULL, &text, err));
  record.kernel_name = pawl_arena_copy(arena, text);
  PAWL_TRY(pawl_json_get_string(document, "device_name", path, NULL, &text, err));
  record.device_name = pawl_arena_copy(arena, text);
  PAWL_TRY(pawl_json_get_string(document, "current", path, NULL, &text, err));
  record.current = pawl_arena_copy(arena, text);
  *out = record;
  return PAWL_OK;
}
