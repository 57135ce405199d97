/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of workers are not trusted: every value is checked, and a value that breaks
 * docs/protocol.md is PAWL_PROTOCOL. */
#include "model/operator_info.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/dtype.h"
#include "model/fields.h"
#include "model/names.h"

#define MAX_ENTRIES 1000                     /* the longest list: more is nonsense */
#define MAX_TENSOR_BYTES ((uint64_t)1 << 48) /* no machine holds more: catches overflow */

/* --- one member of an object, checked --- */

struct member_reader {
  const json_t *object;
  struct pawl_json_path path;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

static enum pawl_status_code bad(const struct member_reader *in, const char *key,
                                 const char *wanted) {
  return pawl_json_value_fail(&in->path, key, json_object_get(in->object, key), wanted,
                              PAWL_PROTOCOL, in->err);
}

static pawl_status get_identifier(const struct member_reader *in, const char *key,
                                  const char **out) {
  const char *text = json_string_value(json_object_get(in->object, key));
  if (!text || !pawl_is_identifier(text)) return bad(in, key, "a name of letters, digits and _");
  *out = pawl_arena_copy(in->arena, text);
  return PAWL_OK;
}

static pawl_status get_text(const struct member_reader *in, const char *key, const char **out) {
  const json_t *value = json_object_get(in->object, key);
  if (value && !json_is_string(value) && !json_is_null(value)) return bad(in, key, "a text");
  const char *text = json_string_value(value);
  *out = pawl_arena_copy(in->arena, text ? text : "");
  return PAWL_OK;
}

static pawl_status get_integer(const struct member_reader *in, const char *key, int64_t *out) {
  const json_t *value = json_object_get(in->object, key);
  if (!json_is_integer(value)) return bad(in, key, "an integer");
  *out = json_integer_value(value);
  return PAWL_OK;
}

static pawl_status get_amount(const struct member_reader *in, const char *key, double *out) {
  const json_t *value = json_object_get(in->object, key);
  const double number = json_number_value(value);
  if (!json_is_number(value) || !isfinite(number) || !(number >= 0))
    return bad(in, key, "a number, 0 or greater");
  *out = number;
  return PAWL_OK;
}

/* A word that `parse` knows. */
static pawl_status get_word(const struct member_reader *in, const char *key,
                            int32_t (*parse)(const char *), const char *wanted, int32_t *out) {
  const char *text = json_string_value(json_object_get(in->object, key));
  const int32_t value = text ? parse(text) : 0;
  if (!value) return bad(in, key, wanted);
  *out = value;
  return PAWL_OK;
}

/* Reads each element of the list `key` into an array of `size`-byte structs. */
static pawl_status get_list(const struct member_reader *in, const char *key, size_t min_count,
                            size_t max_count, size_t size,
                            pawl_status (*read)(const struct member_reader *, void *), void **out,
                            int *out_count) {
  const json_t *list = json_object_get(in->object, key);
  const size_t count = json_array_size(list);
  if (!json_is_array(list)) return bad(in, key, "a list");
  if (count < min_count || count > max_count)
    return pawl_json_path_fail(&in->path, key, PAWL_PROTOCOL, in->err,
                               "must have %zu to %zu entries, not %zu", min_count, max_count,
                               count);
  char *items = pawl_arena_alloc(in->arena, count ? count : 1, size);
  const struct pawl_json_path list_path = PAWL_JSON_KEY(&in->path, key);
  for (size_t i = 0; i < count; i++) {
    const struct member_reader item = {json_array_get(list, i), PAWL_JSON_INDEX(&list_path, i),
                                       in->arena, in->err};
    if (!json_is_object(item.object))
      return pawl_json_value_fail(&item.path, NULL, item.object, "an object", PAWL_PROTOCOL,
                                  in->err);
    PAWL_TRY(read(&item, items + i * size));
  }
  *out = items;
  *out_count = (int)count;
  return PAWL_OK;
}

/* --- the operator's own words --- */

static pawl_status read_param(const struct member_reader *in, void *out) {
  struct pawl_param *param = out;
  PAWL_TRY(get_identifier(in, "name", &param->name));
  PAWL_TRY(get_integer(in, "min", &param->min));
  PAWL_TRY(get_integer(in, "max", &param->max));
  PAWL_TRY(get_text(in, "help", &param->help));
  if (param->min > param->max) return bad(in, "max", "at least 'min'");
  if (param->min == INT64_MIN) return bad(in, "min", "greater than -2^63");
  param->fallback = param->min - 1;
  const json_t *fallback = json_object_get(in->object, "default");
  if (!fallback || json_is_null(fallback)) return PAWL_OK;
  PAWL_TRY(get_integer(in, "default", &param->fallback));
  if (param->fallback < param->min || param->fallback > param->max)
    return bad(in, "default", "within 'min' and 'max'");
  return PAWL_OK;
}

static pawl_status read_distribution(const struct member_reader *in, void *out) {
  struct pawl_distribution_info *distribution = out;
  PAWL_TRY(get_identifier(in, "name", &distribution->name));
  PAWL_TRY(get_word(in, "fill", pawl_fill_parse, "normal, uniform, zero_one or constant_rows",
                    &distribution->fill));
  PAWL_TRY(get_amount(in, "scale", &distribution->scale));
  const json_t *adjust = json_object_get(in->object, "adjust");
  if (adjust && !json_is_boolean(adjust)) return bad(in, "adjust", "true or false");
  distribution->adjust = json_is_true(adjust);
  return PAWL_OK;
}

/* A number that the operator does not give is NaN. */
static pawl_status get_tolerance(const struct member_reader *in, const char *key, double *out) {
  const json_t *value = json_object_get(in->object, key);
  if (value && !json_is_null(value)) return get_amount(in, key, out);
  *out = NAN;
  return PAWL_OK;
}

static pawl_status read_tolerance(const struct member_reader *in, void *out) {
  struct pawl_tolerance *tolerance = out;
  PAWL_TRY(get_word(in, "dtype", pawl_dtype_parse, "a dtype", &tolerance->dtype));
  PAWL_TRY(get_tolerance(in, "atol", &tolerance->atol));
  PAWL_TRY(get_tolerance(in, "rtol", &tolerance->rtol));
  return get_tolerance(in, "rel_rms", &tolerance->rel_rms);
}

static pawl_status check_unique_params(const struct member_reader *in,
                                       const struct pawl_operator_info *info) {
  for (int i = 0; i < info->param_count; i++) {
    for (int j = 0; j < i; j++)
      if (strcmp(info->params[i].name, info->params[j].name) == 0)
        return pawl_json_path_fail(&in->path, "params", PAWL_PROTOCOL, in->err, "has '%s' twice",
                                   info->params[i].name);
  }
  return PAWL_OK;
}

pawl_status pawl_operator_info_from_json(const json_t *object, struct pawl_arena *arena,
                                         struct pawl_operator_info *out, struct pawl_error *err) {
  const struct member_reader in = {object, PAWL_JSON_KEY(NULL, "operator"), arena, err};
  struct pawl_operator_info info = {0};
  if (!json_is_object(object))
    return pawl_json_value_fail(&in.path, NULL, object, "an object", PAWL_PROTOCOL, err);
  PAWL_TRY(get_identifier(&in, "name", &info.name));
  PAWL_TRY(get_text(&in, "summary", &info.summary));
  PAWL_TRY(get_list(&in, "params", 0, MAX_ENTRIES, sizeof *info.params, read_param,
                    (void **)&info.params, &info.param_count));
  PAWL_TRY(get_list(&in, "distributions", 1, MAX_ENTRIES, sizeof *info.distributions,
                    read_distribution, (void **)&info.distributions, &info.distribution_count));
  PAWL_TRY(get_list(&in, "tolerances", 1, MAX_ENTRIES, sizeof *info.tolerances, read_tolerance,
                    (void **)&info.tolerances, &info.tolerance_count));
  PAWL_TRY(check_unique_params(&in, &info));
  *out = info;
  return PAWL_OK;
}

json_t *pawl_operator_info_to_json(const struct pawl_operator_info *info) {
  json_t *object = json_object(), *list = json_array();
  pawl_json_set_string(object, "name", info->name);
  pawl_json_set_string(object, "summary", info->summary);
  pawl_json_set(object, "params", list);
  for (int i = 0; i < info->param_count; i++) {
    const struct pawl_param *param = &info->params[i];
    json_t *item = json_object();
    pawl_json_set_string(item, "name", param->name);
    pawl_json_set_int(item, "min", param->min);
    pawl_json_set_int(item, "max", param->max);
    pawl_json_set(item, "default",
                  param->fallback >= param->min ? json_integer(param->fallback) : NULL);
    pawl_json_set_string(item, "help", param->help);
    json_array_append_new(list, item);
  }
  pawl_json_set(object, "distributions", list = json_array());
  for (int i = 0; i < info->distribution_count; i++) {
    const struct pawl_distribution_info *distribution = &info->distributions[i];
    json_t *item = json_object();
    pawl_json_set_string(item, "name", distribution->name);
    pawl_json_set_string(item, "fill", pawl_fill_name(distribution->fill));
    pawl_json_set_number(item, "scale", distribution->scale);
    pawl_json_set_bool(item, "adjust", distribution->adjust);
    json_array_append_new(list, item);
  }
  pawl_json_set(object, "tolerances", list = json_array());
  for (int i = 0; i < info->tolerance_count; i++) {
    const struct pawl_tolerance *tolerance = &info->tolerances[i];
    json_t *item = json_object();
    pawl_json_set_string(item, "dtype", pawl_dtype_name(tolerance->dtype));
    pawl_json_set_number(item, "atol", tolerance->atol);
    pawl_json_set_number(item, "rtol", tolerance->rtol);
    pawl_json_set_number(item, "rel_rms", tolerance->rel_rms);
    json_array_append_new(list, item);
  }
  return object;
}

/* --- the tensors and the work of a case --- */

static pawl_status read_tensor(const struct member_reader *in, void *out) {
  struct pawl_tensor_spec *tensor = out;
  PAWL_TRY(get_identifier(in, "name", &tensor->name));
  PAWL_TRY(get_word(in, "role", pawl_role_parse, "in, out or inout", &tensor->role));
  PAWL_TRY(get_word(in, "dtype", pawl_dtype_parse, "a dtype", &tensor->dtype));
  const json_t *sizes = json_object_get(in->object, "size");
  if (!json_is_array(sizes) || json_array_size(sizes) > PAWL_MAX_DIMS)
    return bad(in, "size", "a list of at most 6");
  tensor->ndim = (int32_t)json_array_size(sizes);
  uint64_t bytes = pawl_dtype_size(tensor->dtype);
  for (int32_t i = 0; i < tensor->ndim; i++) {
    const json_t *size = json_array_get(sizes, (size_t)i);
    const json_int_t number = json_integer_value(size);
    if (!json_is_integer(size) || number < 0) {
      const struct pawl_json_path list = PAWL_JSON_KEY(&in->path, "size"),
                                  item_path = PAWL_JSON_INDEX(&list, i);
      return pawl_json_value_fail(&item_path, NULL, size, "an integer, 0 or greater", PAWL_PROTOCOL,
                                  in->err);
    }
    if (bytes && (uint64_t)number > MAX_TENSOR_BYTES / bytes) /* 0: pawl_problem_init refuses it */
      return pawl_json_path_fail(&in->path, "size", PAWL_PROTOCOL, in->err,
                                 "is more than 2^48 bytes");
    bytes *= (uint64_t)number;
    tensor->size[i] = number;
  }
  return PAWL_OK;
}

pawl_status pawl_work_from_json(const json_t *object, struct pawl_arena *arena,
                                struct pawl_work *out, struct pawl_error *err) {
  const struct member_reader in = {object, PAWL_JSON_KEY(NULL, "operator"), arena, err};
  struct pawl_work work = {0};
  void *tensors = NULL;
  if (!json_is_object(object))
    return pawl_json_value_fail(&in.path, NULL, object, "an object", PAWL_PROTOCOL, err);
  PAWL_TRY(get_list(&in, "tensors", 1, PAWL_MAX_TENSORS, sizeof *work.tensors, read_tensor,
                    &tensors, &work.tensor_count));
  memcpy(work.tensors, tensors, (size_t)work.tensor_count * sizeof *work.tensors);
  bool writes = false;
  for (int i = 0; i < work.tensor_count; i++) writes |= work.tensors[i].role != PAWL_IN;
  if (!writes) return bad(&in, "tensors", "a list with an output");
  PAWL_TRY(get_amount(&in, "flop", &work.flop));
  PAWL_TRY(get_amount(&in, "bytes", &work.bytes));
  *out = work;
  return PAWL_OK;
}

json_t *pawl_work_to_json(const struct pawl_work *work) {
  json_t *object = json_object(), *tensors = json_array();
  pawl_json_set(object, "tensors", tensors);
  for (int i = 0; i < work->tensor_count; i++) {
    const struct pawl_tensor_spec *tensor = &work->tensors[i];
    json_t *item = json_object(), *size = json_array();
    pawl_json_set_string(item, "name", tensor->name);
    pawl_json_set_string(item, "role", pawl_role_name(tensor->role));
    pawl_json_set_string(item, "dtype", pawl_dtype_name(tensor->dtype));
    for (int32_t j = 0; j < tensor->ndim; j++)
      json_array_append_new(size, json_integer(tensor->size[j]));
    pawl_json_set(item, "size", size);
    json_array_append_new(tensors, item);
  }
  pawl_json_set_number(object, "flop", work->flop);
  pawl_json_set_number(object, "bytes", work->bytes);
  return object;
}
