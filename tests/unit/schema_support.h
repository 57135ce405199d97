/* SPDX-License-Identifier: Apache-2.0 */
/* That a schema of docs/schema and a document written by pawl name the same keys, in both
 * directions. */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "results_support.h"

static inline json_t *read_schema(const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_printf(&path, PAWL_SOURCE_ROOT "/docs/schema/%s.schema.json", name);
  json_t *schema = NULL;
  struct pawl_error err = {0};
  if (pawl_json_read(path.data, &schema, &err) != PAWL_OK) fail_msg("%s", err.message);
  return schema;
}

static inline bool type_allowed(const json_t *type, const json_t *value) {
  static const char *const names[] = {"object", "array",   "string",  "integer",
                                      "number", "boolean", "boolean", "null"};
  const char *wanted = names[json_typeof(value)];
  if (!type) return true;
  if (json_is_string(type)) {
    const char *given = json_string_value(type);
    return strcmp(given, wanted) == 0 || (strcmp(given, "number") == 0 && json_is_number(value));
  }
  size_t i;
  json_t *one;
  json_array_foreach(type, i, one) {
    if (type_allowed(one, value)) return true;
  }
  return false;
}

static inline bool in_list(const json_t *list, const json_t *value) {
  size_t i;
  json_t *one;
  json_array_foreach(list, i, one) {
    if (json_equal(one, value)) return true;
  }
  return list == NULL;
}

/* Types, enumerations and keys agree; a key of `properties` that the value lacks is an error too.
 */
static inline void check_schema(const json_t *root, const json_t *schema, const json_t *value,
                                const char *where) {
  const char *reference = json_string_value(json_object_get(schema, "$ref"));
  if (reference) {
    assert_true(pawl_starts_with(reference, "#/$defs/"));
    schema = json_object_get(json_object_get(root, "$defs"), reference + strlen("#/$defs/"));
    assert_non_null(schema);
  }
  if (!type_allowed(json_object_get(schema, "type"), value))
    fail_msg("%s has a type that the schema lacks", where);
  if (!in_list(json_object_get(schema, "enum"), value))
    fail_msg("%s has a value that the schema lacks", where);
  size_t i;
  json_t *item;
  json_array_foreach(value, i, item)
      check_schema(root, json_object_get(schema, "items"), item, where);
  const json_t *properties = json_object_get(schema, "properties");
  if (!json_is_object(value) || !properties) return;
  const char *key;
  json_object_foreach((json_t *)(uintptr_t)value, key, item) {
    const json_t *property = json_object_get(properties, key);
    if (!property) fail_msg("the schema lacks %s.%s", where, key);
    check_schema(root, property, item, key);
  }
  json_object_foreach((json_t *)(uintptr_t)properties, key, item) {
    if (!json_object_get(value, key)) fail_msg("the schema alone has %s.%s", where, key);
  }
}
