/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define SHOWN_BYTES 60 /* of a text quoted in a message */

/* --- messages --- */

static void add_path(const struct pawl_json_path *path, struct pawl_text *out) {
  if (!path->parent) {
    pawl_text_printf(out, "%s:", path->key);
    return;
  }
  add_path(path->parent, out);
  const bool first = !path->parent->parent;
  if (path->index >= 0) {
    pawl_text_printf(out, first ? " [%ld]" : "[%ld]", path->index);
  } else {
    pawl_text_printf(out, first ? " %s" : ".%s", path->key);
  }
}

enum pawl_status_code pawl_json_path_fail(const struct pawl_json_path *path, const char *key,
                                          enum pawl_status_code code, struct pawl_error *err, const char *format, ...) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const struct pawl_json_path leaf = PAWL_JSON_KEY(path, key);
  add_path(key ? &leaf : path, &text);
  char message[PAWL_ERROR_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return pawl_fail(err, code, "%s %s", pawl_text_string(&text), message);
}

static void describe(const json_t *value, struct pawl_text *out) {
  switch (json_typeof(value)) {
    case JSON_NULL: pawl_text_add(out, "null"); break;
    case JSON_TRUE: pawl_text_add(out, "true"); break;
    case JSON_FALSE: pawl_text_add(out, "false"); break;
    case JSON_INTEGER: pawl_text_printf(out, "%lld", (long long)json_integer_value(value)); break;
    case JSON_REAL: pawl_text_printf(out, "%g", json_real_value(value)); break;
    case JSON_ARRAY: pawl_text_add(out, json_array_size(value) ? "a list" : "an empty list"); break;
    case JSON_OBJECT: pawl_text_add(out, "an object"); break;
    case JSON_STRING: {
      const char *text = json_string_value(value);
      size_t length = strlen(text);
      const bool clipped = length > SHOWN_BYTES;
      if (clipped) {
        length = SHOWN_BYTES;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--; /* not inside a character */
      }
      pawl_text_printf(out, "the text '%.*s%s'", (int)length, text, clipped ? "..." : "");
      break;
    }
    default: break;
  }
}

enum pawl_status_code pawl_json_value_fail(const struct pawl_json_path *path, const char *key, const json_t *value,
                                           const char *wanted, enum pawl_status_code code, struct pawl_error *err) {
  if (!value) return pawl_json_path_fail(path, key, code, err, "is missing: it must be %s", wanted);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  describe(value, &text);
  return pawl_json_path_fail(path, key, code, err, "must be %s, not %s", wanted, pawl_text_string(&text));
}

/* --- one value --- */

static bool number_fits(enum pawl_field_rule rule, double value) {
  if (!isfinite(value)) return false;
  if (rule == PAWL_FIELD_TIME) return value > 0;
  return rule != PAWL_FIELD_AMOUNT || value >= 0;
}

static const char *wanted(enum pawl_field_rule rule) {
  switch (rule) {
    case PAWL_FIELD_TIME: return "a number greater than 0";
    case PAWL_FIELD_AMOUNT: return "a number, 0 or greater";
    case PAWL_FIELD_NUMBER: return "a number";
    case PAWL_FIELD_COUNT: return "an integer, 0 or greater";
    case PAWL_FIELD_STRING: return "a text";
    case PAWL_FIELD_TIMES: return "a list of at least one number greater than 0";
    case PAWL_FIELD_STRINGS: return "a list of texts";
  }
  return "";
}

static void *field_at(const void *target, size_t offset) {
  return (char *)(uintptr_t)target + offset;
}

static size_t count_at(const void *source, const struct pawl_field *list) {
  return *(const size_t *)field_at(source, list->count_offset);
}

static pawl_status read_times(const json_t *value, const struct pawl_json_path *path, struct pawl_arena *arena,
                              double **out, size_t *out_count, struct pawl_error *err) {
  const size_t count = json_array_size(value);
  double *times = pawl_arena_alloc(arena, count, sizeof *times);
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(value, i);
    times[i] = json_number_value(item);
    if (!json_is_number(item) || !number_fits(PAWL_FIELD_TIME, times[i])) {
      const struct pawl_json_path at = PAWL_JSON_INDEX(path, i);
      return pawl_json_value_fail(&at, NULL, item, wanted(PAWL_FIELD_TIME), PAWL_BAD_DATA, err);
    }
  }
  *out = times;
  *out_count = count;
  return PAWL_OK;
}

static pawl_status read_strings(const json_t *value, const struct pawl_json_path *path, struct pawl_arena *arena,
                                const char ***out, size_t *out_count, struct pawl_error *err) {
  const size_t count = json_array_size(value);
  const char **strings = count ? pawl_arena_alloc(arena, count, sizeof *strings) : NULL;
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(value, i);
    if (!json_is_string(item)) {
      const struct pawl_json_path at = PAWL_JSON_INDEX(path, i);
      return pawl_json_value_fail(&at, NULL, item, wanted(PAWL_FIELD_STRING), PAWL_BAD_DATA, err);
    }
    strings[i] = pawl_arena_copy(arena, json_string_value(item));
  }
  *out = strings;
  *out_count = count;
  return PAWL_OK;
}

static bool kind_fits(enum pawl_field_rule rule, const json_t *value) {
  switch (rule) {
    case PAWL_FIELD_NUMBER:
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME: return json_is_number(value) && number_fits(rule, json_number_value(value));
    case PAWL_FIELD_COUNT: return json_is_integer(value) && json_integer_value(value) >= 0;
    case PAWL_FIELD_STRING: return json_is_string(value);
    case PAWL_FIELD_TIMES: return json_array_size(value) > 0;
    case PAWL_FIELD_STRINGS: return json_is_array(value);
  }
  return false;
}

static pawl_status read_field(const struct pawl_field *field, const json_t *value, const struct pawl_json_path *path,
                              struct pawl_arena *arena, void *target, struct pawl_error *err) {
  if (!kind_fits(field->rule, value))
    return pawl_json_value_fail(path, field->key, value, wanted(field->rule), PAWL_BAD_DATA, err);
  void *at = field_at(target, field->offset);
  const struct pawl_json_path here = PAWL_JSON_KEY(path, field->key);
  switch (field->rule) {
    case PAWL_FIELD_NUMBER:
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME: *(double *)at = json_number_value(value); break;
    case PAWL_FIELD_COUNT: *(long long *)at = json_integer_value(value); break;
    case PAWL_FIELD_STRING: *(const char **)at = pawl_arena_copy(arena, json_string_value(value)); break;
    case PAWL_FIELD_TIMES: return read_times(value, &here, arena, at, field_at(target, field->count_offset), err);
    case PAWL_FIELD_STRINGS: return read_strings(value, &here, arena, at, field_at(target, field->count_offset), err);
  }
  return PAWL_OK;
}

/* --- tables --- */

void pawl_fields_init(const struct pawl_field *fields, size_t count, void *target) {
  for (size_t i = 0; i < count; i++) {
    void *at = field_at(target, fields[i].offset);
    switch (fields[i].rule) {
      case PAWL_FIELD_NUMBER:
      case PAWL_FIELD_AMOUNT:
      case PAWL_FIELD_TIME: *(double *)at = (double)NAN; break;
      case PAWL_FIELD_COUNT: *(long long *)at = -1; break;
      case PAWL_FIELD_STRING: *(const char **)at = NULL; break;
      case PAWL_FIELD_TIMES:
      case PAWL_FIELD_STRINGS:
        *(void **)at = NULL;
        *(size_t *)field_at(target, fields[i].count_offset) = 0;
        break;
    }
  }
}

pawl_status pawl_fields_read(const struct pawl_field *fields, size_t count, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena, void *target,
                             struct pawl_error *err) {
  if (!json_is_object(object)) return pawl_json_value_fail(path, NULL, object, "an object", PAWL_BAD_DATA, err);
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_object_get(object, fields[i].key);
    if (value && !json_is_null(value)) PAWL_TRY(read_field(&fields[i], value, path, arena, target, err));
  }
  return PAWL_OK;
}

static json_t *times_to_json(const double *times, size_t count) {
  if (!times || !count) return NULL;
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) PAWL_ASSERT(!json_array_append_new(list, json_real(times[i])));
  return list;
}

static json_t *strings_to_json(const char *const *strings, size_t count) {
  json_t *list = json_array(), *holder = json_object(); /* setting a member is what mends bad UTF-8 */
  for (size_t i = 0; i < count; i++) {
    pawl_json_set_string(holder, "text", strings[i]);
    json_array_append(list, json_object_get(holder, "text"));
  }
  json_decref(holder);
  return list;
}

void pawl_fields_write(const struct pawl_field *fields, size_t count, const void *source, json_t *object) {
  for (size_t i = 0; i < count; i++) {
    const char *key = fields[i].key;
    const void *at = field_at(source, fields[i].offset);
    switch (fields[i].rule) {
      case PAWL_FIELD_NUMBER:
      case PAWL_FIELD_AMOUNT:
      case PAWL_FIELD_TIME: pawl_json_set_number(object, key, *(const double *)at); break;
      case PAWL_FIELD_COUNT: {
        const long long number = *(const long long *)at;
        pawl_json_set(object, key, number >= 0 ? json_integer(number) : NULL);
        break;
      }
      case PAWL_FIELD_STRING: pawl_json_set_string(object, key, *(const char *const *)at); break;
      case PAWL_FIELD_TIMES:
        pawl_json_set(object, key, times_to_json(*(double *const *)at, count_at(source, &fields[i])));
        break;
      case PAWL_FIELD_STRINGS:
        pawl_json_set(object, key, strings_to_json(*(const char *const *const *)at, count_at(source, &fields[i])));
        break;
    }
  }
}

bool pawl_fields_unknown(const struct pawl_field *fields, size_t count, const void *source) {
  for (size_t i = 0; i < count; i++) {
    const void *at = field_at(source, fields[i].offset);
    switch (fields[i].rule) {
      case PAWL_FIELD_NUMBER:
      case PAWL_FIELD_AMOUNT:
      case PAWL_FIELD_TIME:
        if (!isnan(*(const double *)at)) return false;
        break;
      case PAWL_FIELD_COUNT:
        if (*(const long long *)at >= 0) return false;
        break;
      case PAWL_FIELD_STRING:
        if (*(const char *const *)at) return false;
        break;
      case PAWL_FIELD_TIMES:
      case PAWL_FIELD_STRINGS:
        if (count_at(source, &fields[i])) return false;
        break;
    }
  }
  return true;
}
