/* SPDX-License-Identifier: Apache-2.0 */
#include "model/json_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define SHOWN_BYTES 60 /* the longest text that a message quotes */

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
                                          enum pawl_status_code code, struct pawl_error *err,
                                          const char *format, ...) {
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

static void json_path_describe(const json_t *value, struct pawl_text *out) {
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
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
          length--; /* not inside a character */
      }
      pawl_text_printf(out, "the text '%.*s%s'", (int)length, text, clipped ? "..." : "");
      break;
    }
    default: break;
  }
}

enum pawl_status_code pawl_json_value_fail(const struct pawl_json_path *path, const char *key,
                                           const json_t *value, const char *wanted,
                                           enum pawl_status_code code, struct pawl_error *err) {
  if (!value) return pawl_json_path_fail(path, key, code, err, "is missing: it must be %s", wanted);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  json_path_describe(value, &text);
  return pawl_json_path_fail(path, key, code, err, "must be %s, not %s", wanted,
                             pawl_text_string(&text));
}

pawl_status pawl_json_check_version(const json_t *document, const struct pawl_json_path *path,
                                    int newest, struct pawl_error *err) {
  const json_t *value = json_object_get(document, "schema_version");
  if (!value) return PAWL_OK;
  if (!json_is_integer(value) || json_integer_value(value) < 1)
    return pawl_json_value_fail(path, "schema_version", value, "an integer, 1 or greater",
                                PAWL_BAD_DATA, err);
  if (json_integer_value(value) > newest)
    return pawl_json_path_fail(path, "schema_version", PAWL_BAD_DATA, err,
                               "is %lld, from a newer pawl; this pawl reads up to %d: update pawl",
                               (long long)json_integer_value(value), newest);
  return PAWL_OK;
}
