/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/parallel.h"

#define LONG_ARRAY 400 /* items: the texts of its halves take longer than the start of a thread */

/* Returns the length of a bare NaN, Infinity or -Infinity at `p`, or 0. */
static size_t bare_word(const char *p, const char *end) {
  static const char *const words[] = {"NaN",      "nan",       "-NaN", "-nan",
                                      "Infinity", "-Infinity", "inf",  "-inf"};
  size_t best = 0;
  for (size_t i = 0; i < PAWL_COUNT(words); i++) {
    const size_t length = strlen(words[i]);
    if (length > best && (size_t)(end - p) >= length && !memcmp(p, words[i], length)) best = length;
  }
  return best;
}

/* Replaces bare NaN and Infinity outside strings by null. */
static void replace_bare_words(const char *text, size_t length, struct pawl_text *out) {
  const char *end = text + length;
  bool in_string = false;
  for (const char *p = text; p < end;) {
    const size_t word = in_string ? 0 : bare_word(p, end);
    if (word) {
      pawl_text_add(out, "null");
      p += word;
      continue;
    }
    if (in_string && *p == '\\' && p + 1 < end) {
      pawl_text_add_bytes(out, p, 2);
      p += 2;
      continue;
    }
    if (*p == '"') in_string = !in_string;
    pawl_text_add_bytes(out, p++, 1);
  }
}

pawl_status pawl_json_parse(const char *text, size_t length, const char *name, bool lenient,
                            json_t **out, struct pawl_error *err) {
  return pawl_json_parse_from(text, length, name, 1, lenient, out, err);
}

pawl_status pawl_json_parse_from(const char *text, size_t length, const char *name, int line,
                                 bool lenient, json_t **out, struct pawl_error *err) {
  const size_t flags = (lenient ? 0 : JSON_REJECT_DUPLICATES) | JSON_DECODE_ANY;
  json_error_t error;
  json_t *value = pawl_json_plain(text, length, NULL);
  if (!value) value = json_loadb(text, length, flags, &error);
  if (!value && lenient) { /* few texts have such words, and the replacement copies each byte */
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text replaced = {0};
    replace_bare_words(text, length, &replaced);
    value = json_loadb(pawl_text_string(&replaced), replaced.length, flags, &error);
  }
  if (!value) {
    return pawl_fail(err, PAWL_BAD_DATA, "%s:%d:%d: not valid JSON: %s", name,
                     line - 1 + error.line, error.column, error.text);
  }
  *out = value;
  return PAWL_OK;
}

pawl_status pawl_json_read(const char *path, json_t **out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  return pawl_json_parse(text.data, text.length, path, false, out, err);
}

/* Passes only a text that needs escapes to jansson. */
static void json_add_string(const char *string, size_t length, struct pawl_text *out) {
  size_t plain = 0;
  while (plain < length && string[plain] >= ' ' && string[plain] < 127 && string[plain] != '"' &&
         string[plain] != '\\')
    plain++;
  if (plain == length) {
    pawl_text_add_bytes(out, "\"", 1);
    pawl_text_add_bytes(out, string, length);
    pawl_text_add_bytes(out, "\"", 1);
    return;
  }
  json_t *value = json_stringn_nocheck(string, length);
  char *quoted = json_dumps(value, JSON_ENCODE_ANY);
  PAWL_ASSERT(quoted);
  pawl_text_add(out, quoted);
  free(quoted);
  json_decref(value);
}

static bool is_flat(const json_t *array) {
  size_t i;
  json_t *item;
  json_array_foreach(array, i, item) {
    if (json_is_array(item) || json_is_object(item)) return false;
  }
  return true;
}

static void add_break(int depth, struct pawl_text *out) {
  static const char spaces[] = "                                                                ";
  pawl_text_add_bytes(out, "\n", 1);
  for (size_t left = 2 * (size_t)depth, part; left > 0; left -= part) {
    part = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
    pawl_text_add_bytes(out, spaces, part);
  }
}

static void json_add_value(const json_t *value, bool compact_arrays, int depth,
                           struct pawl_text *out);

/* Some items of an array, and their text. */
struct json_items {
  const json_t *array;
  size_t begin, end;
  bool compact_arrays, flat;
  int depth;
  struct pawl_text text;
};

static void json_add_items(void *context, int64_t number) {
  struct json_items *items = (struct json_items *)context + number;
  for (size_t i = items->begin; i < items->end; i++) {
    if (i) pawl_text_add(&items->text, items->flat ? ", " : ",");
    if (!items->flat) add_break(items->depth, &items->text);
    json_add_value(json_array_get(items->array, i), items->compact_arrays, items->depth,
                   &items->text);
  }
}

/* Two threads write the halves of a long array. */
static void json_add_array(const json_t *array, bool compact_arrays, int depth,
                           struct pawl_text *out) {
  const bool flat = compact_arrays && is_flat(array);
  const size_t count = json_array_size(array);
  const size_t middle = flat || count < LONG_ARRAY ? count : count / 2;
  struct json_items halves[] = {{array, 0, middle, compact_arrays, flat, depth + 1, *out},
                                {array, middle, count, compact_arrays, flat, depth + 1, {0}}};
  pawl_text_add(&halves[0].text, "[");
  if (middle < count)
    pawl_parallel_for(2, 2, json_add_items, halves);
  else
    json_add_items(halves, 0);
  *out = halves[0].text;
  pawl_text_add_bytes(out, halves[1].text.data, halves[1].text.length);
  pawl_text_clear(&halves[1].text);
  if (count && !flat) add_break(depth, out);
  pawl_text_add(out, "]");
}

static void json_add_value(const json_t *value, bool compact_arrays, int depth,
                           struct pawl_text *out) {
  size_t i;
  const char *key;
  json_t *item;
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      pawl_text_add(out, "{");
      i = 0;
      json_object_foreach((json_t *)(uintptr_t)value, key, item) {
        if (i++) pawl_text_add(out, ",");
        add_break(depth + 1, out);
        json_add_string(key, strlen(key), out);
        pawl_text_add(out, ": ");
        json_add_value(item, compact_arrays, depth + 1, out);
      }
      if (i) add_break(depth, out);
      pawl_text_add(out, "}");
      break;
    case JSON_ARRAY: json_add_array(value, compact_arrays, depth, out); break;
    case JSON_STRING:
      json_add_string(json_string_value(value), json_string_length(value), out);
      break;
    case JSON_INTEGER:
      pawl_text_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
      break;
    case JSON_REAL:
      PAWL_ASSERT(isfinite(json_real_value(value)));
      pawl_text_add_real(out, json_real_value(value));
      break;
    case JSON_TRUE: pawl_text_add(out, "true"); break;
    case JSON_FALSE: pawl_text_add(out, "false"); break;
    case JSON_NULL: pawl_text_add(out, "null"); break;
  }
}

void pawl_json_write_text(const json_t *value, bool compact_arrays, struct pawl_text *out) {
  json_add_value(value, compact_arrays, 0, out);
  pawl_text_add(out, "\n");
}

pawl_status pawl_json_write(const char *path, const json_t *value, bool compact_arrays,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_json_write_text(value, compact_arrays, &text);
  return pawl_file_write(path, text.data, text.length, err);
}

void pawl_json_release(json_t **value) {
  if (!value) return;
  json_decref(*value);
  *value = NULL;
}

void pawl_json_set(json_t *object, const char *key, json_t *value) {
  PAWL_ASSERT(!json_object_set_new(object, key, value ? value : json_null()));
}

void pawl_json_set_number(json_t *object, const char *key, double value) {
  pawl_json_set(object, key, isfinite(value) ? json_real(value) : NULL);
}

void pawl_json_set_int(json_t *object, const char *key, long long value) {
  pawl_json_set(object, key, json_integer(value));
}

/* Replaces bytes that are not UTF-8 by '?'. */
static json_t *json_string_of(const char *value) {
  json_t *string = json_string(value);
  if (string) return string;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  for (const char *p = value; *p; p++)
    pawl_text_add_bytes(&clean, (unsigned char)*p < 0x80 ? p : "?", 1);
  return json_string(pawl_text_string(&clean));
}

void pawl_json_set_string(json_t *object, const char *key, const char *value) {
  pawl_json_set(object, key, value ? json_string_of(value) : NULL);
}

void pawl_json_set_bool(json_t *object, const char *key, bool value) {
  pawl_json_set(object, key, json_boolean(value));
}

/* Returns the member, or NULL if it is absent or null. */
static const json_t *json_member(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return value && !json_is_null(value) ? value : NULL;
}

static enum pawl_status_code wrong_type(const json_t *value, const char *key, const char *name,
                                        const char *wanted, struct pawl_error *err) {
  static const char *const names[] = {"an object", "an array", "a string", "an integer",
                                      "a number",  "true",     "false"};
  return pawl_fail(err, PAWL_BAD_DATA, "%s: '%s' must be %s, not %s", name, key, wanted,
                   names[json_typeof(value)]);
}

const char *pawl_json_word(const json_t *value, struct pawl_arena *arena) {
  if (json_is_string(value)) return pawl_arena_copy(arena, json_string_value(value));
  if (json_is_integer(value))
    return pawl_arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
  if (!json_is_real(value)) return NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_add_real(&text, json_real_value(value));
  return pawl_arena_copy(arena, text.data);
}

pawl_status pawl_json_get_number(const json_t *object, const char *key, const char *name,
                                 double fallback, double *out, struct pawl_error *err) {
  const json_t *value = json_member(object, key);
  if (value && !json_is_number(value)) return wrong_type(value, key, name, "a number", err);
  *out = value ? json_number_value(value) : fallback;
  return PAWL_OK;
}

pawl_status pawl_json_get_int(const json_t *object, const char *key, const char *name,
                              long long fallback, long long *out, struct pawl_error *err) {
  const json_t *value = json_member(object, key);
  if (value && !json_is_integer(value)) return wrong_type(value, key, name, "an integer", err);
  *out = value ? json_integer_value(value) : fallback;
  return PAWL_OK;
}

pawl_status pawl_json_get_string(const json_t *object, const char *key, const char *name,
                                 const char *fallback, const char **out, struct pawl_error *err) {
  const json_t *value = json_member(object, key);
  if (value && !json_is_string(value)) return wrong_type(value, key, name, "a string", err);
  *out = value ? json_string_value(value) : fallback;
  return PAWL_OK;
}

pawl_status pawl_json_get_bool(const json_t *object, const char *key, const char *name,
                               bool fallback, bool *out, struct pawl_error *err) {
  const json_t *value = json_member(object, key);
  if (value && !json_is_boolean(value)) return wrong_type(value, key, name, "true or false", err);
  *out = value ? json_is_true(value) : fallback;
  return PAWL_OK;
}
