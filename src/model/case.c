/* SPDX-License-Identifier: Apache-2.0 */
#include "model/case.h"

#include <inttypes.h>
#include <string.h>

#include "model/dtype.h"
#include "model/fields.h"
#include "model/names.h"

struct pawl_shape pawl_case_shape(const struct pawl_case *config) {
  const struct pawl_shape shape = {
      .dims = config->dims, .count = config->count, .dtype = config->dtype};
  return shape;
}

void pawl_case_key(const struct pawl_case *config, struct pawl_text *out) {
  const size_t start = out->length;
  for (int i = 0; i < config->count; i++) {
    pawl_text_printf(out, "%s%s=%" PRId64, out->length > start ? "," : "", config->dims[i].name,
                     config->dims[i].value);
  }
  if (config->dtype != PAWL_DTYPE_NONE)
    pawl_text_printf(out, "%sdtype=%s", out->length > start ? "," : "",
                     pawl_dtype_name(config->dtype));
}

/* Replaces the value of `name`, or appends it. dims has room for one more. */
static void set_dim(struct pawl_dim *dims, int *count, const char *name, int64_t value,
                    struct pawl_arena *arena) {
  for (int i = 0; i < *count; i++) {
    if (strcmp(dims[i].name, name) == 0) {
      dims[i].value = value;
      return;
    }
  }
  dims[*count] = (struct pawl_dim){.name = pawl_arena_copy(arena, name), .value = value};
  *count += 1;
}

static bool parse_dim_value(const char *text, int64_t *out) {
  if (pawl_parse_i64(text, out)) return true;
  const bool on = strcmp(text, "true") == 0;
  if (!on && strcmp(text, "false") != 0) return false;
  *out = on;
  return true;
}

pawl_status pawl_case_set(struct pawl_case *config, const char *assignments,
                          struct pawl_arena *arena, struct pawl_error *err) {
  int room = config->count + 1;
  for (const char *p = assignments; *p; p++) room += *p == ',';
  struct pawl_dim *dims = pawl_arena_alloc(arena, (size_t)room, sizeof *dims);
  if (config->count) memcpy(dims, config->dims, (size_t)config->count * sizeof *dims);
  int count = config->count;
  int32_t dtype = config->dtype;

  char *rest = pawl_arena_copy(arena, assignments);
  for (char *name; (name = strsep(&rest, ","));) {
    char *value = strchr(name, '=');
    if (value) *value++ = '\0';
    if (!value || !pawl_is_identifier(name))
      return pawl_fail(err, PAWL_USAGE,
                       "cannot read '%s' of '%s': write NAME=VALUE, as in B=32,dtype=f16", name,
                       assignments);
    int64_t number;
    if (strcmp(name, "dtype") == 0) {
      dtype = pawl_dtype_parse(value);
      if (dtype == PAWL_DTYPE_NONE)
        return pawl_fail(err, PAWL_USAGE,
                         "unknown dtype '%s': use f64, f32, f16, bf16, e4m3, i32, i64 or u8",
                         value);
    } else if (parse_dim_value(value, &number)) {
      set_dim(dims, &count, name, number, arena);
    } else {
      return pawl_fail(err, PAWL_USAGE, "'%s' must be an integer, true or false, not '%s'", name,
                       value);
    }
  }
  config->dims = dims;
  config->count = count;
  config->dtype = dtype;
  config->places = NULL;
  config->place = (struct pawl_file_place){0};
  return PAWL_OK;
}

json_t *pawl_case_to_json(const struct pawl_case *config) {
  json_t *object = json_object();
  for (int i = 0; i < config->count; i++)
    pawl_json_set_int(object, config->dims[i].name, config->dims[i].value);
  if (config->dtype != PAWL_DTYPE_NONE)
    pawl_json_set_string(object, "dtype", pawl_dtype_name(config->dtype));
  return object;
}

static pawl_status read_dtype(const json_t *value, const struct pawl_json_path *path, int32_t *out,
                              struct pawl_error *err) {
  if (json_is_null(value)) return PAWL_OK;
  const int32_t dtype = pawl_dtype_parse(json_string_value(value));
  if (dtype == PAWL_DTYPE_NONE)
    return pawl_json_value_fail(path, "dtype", value, "a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8)",
                                PAWL_BAD_DATA, err);
  *out = dtype;
  return PAWL_OK;
}

pawl_status pawl_case_from_json_at(const json_t *object, const char *name,
                                   const struct pawl_json_path *path, struct pawl_arena *arena,
                                   struct pawl_case *out, struct pawl_error *err) {
  if (!json_is_object(object))
    return pawl_json_value_fail(path, NULL, object, "an object", PAWL_BAD_DATA, err);
  struct pawl_case config = {.name = pawl_arena_copy(arena, name)};
  config.dims = pawl_arena_alloc(arena, json_object_size(object) + 1, sizeof *config.dims);
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    if (strcmp(key, "dtype") == 0) {
      PAWL_TRY(read_dtype(value, path, &config.dtype, err));
      continue;
    }
    if (!pawl_is_identifier(key))
      return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                                 "has '%s', which is not a valid parameter name", key);
    if (!json_is_integer(value) && !json_is_boolean(value))
      return pawl_json_value_fail(path, key, value, "an integer", PAWL_BAD_DATA, err);
    const int64_t number = json_is_integer(value) ? json_integer_value(value) : json_is_true(value);
    config.dims[config.count++] =
        (struct pawl_dim){.name = pawl_arena_copy(arena, key), .value = number};
  }
  *out = config;
  return PAWL_OK;
}

pawl_status pawl_case_from_json(const json_t *object, const char *name, struct pawl_arena *arena,
                                struct pawl_case *out, struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name ? name : "case");
  return pawl_case_from_json_at(object, name, &path, arena, out, err);
}
