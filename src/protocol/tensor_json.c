/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/tensor_json.h"

#include "model/dtype.h"

static const char document[] = "request";

void pawl_dense_strides(int ndim, const int64_t *size, int64_t *stride) {
  int64_t step = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    stride[d] = step;
    step *= size[d];
  }
}

void pawl_shape_to_params(json_t *params, const struct pawl_shape *shape) {
  json_t *object = json_object();
  for (int32_t i = 0; i < shape->count; i++)
    pawl_json_set_int(object, shape->dims[i].name, shape->dims[i].value);
  pawl_json_set(params, "shape", object);
  if (shape->dtype != PAWL_DTYPE_NONE)
    pawl_json_set_string(params, "dtype", pawl_dtype_name(shape->dtype));
}

pawl_status pawl_shape_from_params(const json_t *params, struct pawl_arena *arena,
                                   struct pawl_shape *out, struct pawl_error *err) {
  const json_t *object = json_object_get(params, "shape");
  if (!json_is_object(object))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: 'shape' must be an object", document);
  struct pawl_dim *dims = pawl_arena_alloc(arena, json_object_size(object) + 1, sizeof *dims);
  int32_t count = 0;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    if (!json_is_integer(value))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: '%s' of the shape must be an integer", document,
                       name);
    dims[count++] = (struct pawl_dim){pawl_arena_copy(arena, name), json_integer_value(value)};
  }
  const char *dtype = NULL;
  PAWL_TRY(pawl_json_get_string(params, "dtype", document, NULL, &dtype, err));
  const int32_t number = dtype ? pawl_dtype_parse(dtype) : PAWL_DTYPE_NONE;
  if (dtype && !number)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: unknown dtype '%s'", document, dtype);
  *out = (struct pawl_shape){.dims = dims, .count = count, .dtype = number};
  return PAWL_OK;
}

static json_t *integers_to_json(int count, const int64_t *values) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, json_integer(values[i]));
  return array;
}

static json_t *tensor_to_json(const struct pawl_placed_tensor *tensor) {
  const struct pawl_tensor_spec *spec = &tensor->spec;
  int64_t stride[PAWL_MAX_DIMS] = {0};
  pawl_dense_strides(spec->ndim, spec->size, stride);
  json_t *object = json_object();
  pawl_json_set_string(object, "name", spec->name);
  pawl_json_set_string(object, "role", pawl_role_name(spec->role));
  pawl_json_set_string(object, "dtype", pawl_dtype_name(spec->dtype));
  pawl_json_set(object, "size", integers_to_json(spec->ndim, spec->size));
  pawl_json_set(object, "stride", integers_to_json(spec->ndim, stride));
  pawl_json_set_int(object, "fd", tensor->fd);
  pawl_json_set_int(object, "offset", (long long)tensor->offset);
  pawl_json_set_int(object, "bytes", (long long)tensor->bytes);
  return object;
}

json_t *pawl_tensor_set_to_json(const struct pawl_tensor_set *set) {
  json_t *array = json_array();
  for (int i = 0; i < set->count; i++)
    json_array_append_new(array, tensor_to_json(&set->tensors[i]));
  return array;
}

/* Computes sizes and their bytes exactly, without overflow. */
static pawl_status read_sizes(const json_t *sizes, const char *name, struct pawl_tensor_spec *spec,
                              uint64_t *bytes, struct pawl_error *err) {
  if (!json_is_array(sizes) || json_array_size(sizes) > PAWL_MAX_DIMS)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: 'size' of tensor '%s' must be an array of at most %d integers", document,
                     name, PAWL_MAX_DIMS);
  spec->ndim = (int32_t)json_array_size(sizes);
  *bytes = pawl_dtype_size(spec->dtype);
  for (int d = 0; d < spec->ndim; d++) {
    const json_t *size = json_array_get(sizes, (size_t)d);
    spec->size[d] = json_is_integer(size) ? json_integer_value(size) : -1;
    if (spec->size[d] < 0 || __builtin_mul_overflow(*bytes, (uint64_t)spec->size[d], bytes))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: bad 'size' of tensor '%s'", document, name);
  }
  return PAWL_OK;
}

static pawl_status tensor_from_json(const json_t *object, struct pawl_arena *arena,
                                    struct pawl_placed_tensor *out, struct pawl_error *err) {
  const char *name, *role, *dtype;
  long long fd, offset, bytes;
  PAWL_TRY(pawl_json_get_string(object, "name", document, "", &name, err));
  PAWL_TRY(pawl_json_get_string(object, "role", document, "", &role, err));
  PAWL_TRY(pawl_json_get_string(object, "dtype", document, "", &dtype, err));
  PAWL_TRY(pawl_json_get_int(object, "fd", document, -1, &fd, err));
  PAWL_TRY(pawl_json_get_int(object, "offset", document, -1, &offset, err));
  PAWL_TRY(pawl_json_get_int(object, "bytes", document, -1, &bytes, err));
  struct pawl_placed_tensor tensor = {
      .fd = (int)fd, .offset = (uint64_t)offset, .bytes = (uint64_t)bytes};
  tensor.spec.name = pawl_arena_copy(arena, name);
  tensor.spec.role = pawl_role_parse(role);
  tensor.spec.dtype = pawl_dtype_parse(dtype);
  if (!tensor.spec.role || !tensor.spec.dtype ||
      (fd != PAWL_TENSOR_ARENA && fd != PAWL_EXPECTED_ARENA) || offset < 0 || bytes < 0)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: bad role, dtype or place of tensor '%s'", document,
                     name);
  uint64_t needed = 0;
  PAWL_TRY(read_sizes(json_object_get(object, "size"), name, &tensor.spec, &needed, err));
  if (needed != tensor.bytes)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: tensor '%s' needs %llu bytes, not %lld", document,
                     name, (unsigned long long)needed, bytes);
  *out = tensor;
  return PAWL_OK;
}

pawl_status pawl_tensor_set_from_json(const json_t *array, struct pawl_arena *arena,
                                      struct pawl_tensor_set *out, struct pawl_error *err) {
  const size_t count = json_array_size(array);
  if (!json_is_array(array) || count == 0 || count > PAWL_MAX_TENSORS)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a set must be an array of 1 to %d tensors", document,
                     PAWL_MAX_TENSORS);
  struct pawl_placed_tensor *tensors = pawl_arena_alloc(arena, count, sizeof *tensors);
  for (size_t i = 0; i < count; i++)
    PAWL_TRY(tensor_from_json(json_array_get(array, i), arena, &tensors[i], err));
  *out = (struct pawl_tensor_set){.tensors = tensors, .count = (int)count};
  return PAWL_OK;
}
