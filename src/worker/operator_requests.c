/* SPDX-License-Identifier: Apache-2.0 */
/* The requests to an operator's worker. */
#include <string.h>

#include "protocol/tensor_json.h"
#include "worker/driver.h"
#include "worker/worker.h"

pawl_status pawl_worker_describe_operator(struct pawl_worker *worker, struct pawl_arena *arena,
                                          struct pawl_operator_info *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_error unread = {0};
  PAWL_TRY(pawl_worker_call(worker, "describe", NULL, &result, err));
  if (pawl_operator_info_from_json(result, arena, out, &unread) != PAWL_OK)
    return pawl_worker_protocol_error(worker, "describe", unread.message, err);
  return PAWL_OK;
}

pawl_status pawl_worker_tensors(struct pawl_worker *worker, const struct pawl_shape *shape,
                                struct pawl_arena *arena, struct pawl_work *out,
                                struct pawl_error *err) {
  json_t *params = json_object();
  pawl_shape_to_params(params, shape);
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_error unread = {0};
  const enum pawl_status_code status = pawl_worker_call(worker, "tensors", params, &result, err);
  if (status == PAWL_FAILED && worker->error_kind && !strcmp(worker->error_kind, "invalid")) {
    if (err) err->code = PAWL_CONFIG;
    return PAWL_CONFIG;
  }
  if (status != PAWL_OK) return status;
  if (pawl_work_from_json(result, arena, out, &unread) != PAWL_OK)
    return pawl_worker_protocol_error(worker, "tensors", unread.message, err);
  return PAWL_OK;
}

pawl_status pawl_worker_adjust(struct pawl_worker *worker, const struct pawl_shape *shape,
                               const char *distribution, uint64_t seed,
                               const struct pawl_tensor_set *tensors, struct pawl_error *err) {
  json_t *params = json_object();
  pawl_shape_to_params(params, shape);
  pawl_json_set_string(params, "distribution", distribution);
  /* the same bits: a seed of 2^63 or more is negative here */
  pawl_json_set_int(params, "seed", (long long)seed);
  pawl_json_set(params, "tensors", pawl_tensor_set_to_json(tensors));
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  return pawl_worker_call(worker, "adjust", params, &result, err);
}

static json_t *expected_to_json(const struct pawl_placed_tensor *expected, int count) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) {
    json_t *object = json_object();
    pawl_json_set_string(object, "name", expected[i].spec.name);
    pawl_json_set_int(object, "fd", expected[i].fd);
    pawl_json_set_int(object, "offset", (long long)expected[i].offset);
    pawl_json_set_int(object, "bytes", (long long)expected[i].bytes);
    json_array_append_new(array, object);
  }
  return array;
}

pawl_status pawl_worker_oracle(struct pawl_worker *worker, const struct pawl_shape *shape,
                               const struct pawl_tensor_set *tensors,
                               const struct pawl_placed_tensor *expected, int expected_count,
                               struct pawl_error *err) {
  json_t *params = json_object();
  pawl_shape_to_params(params, shape);
  pawl_json_set(params, "tensors", pawl_tensor_set_to_json(tensors));
  pawl_json_set(params, "expected", expected_to_json(expected, expected_count));
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  return pawl_worker_call(worker, "oracle", params, &result, err);
}

static pawl_status read_trial(const json_t *trial, struct pawl_arena *arena,
                              struct pawl_gpu_oracle_info *out, struct pawl_error *err) {
  struct pawl_dim *dims = pawl_arena_alloc(arena, json_object_size(trial) + 1, sizeof *dims);
  const char *name;
  json_t *value;
  int count = 0;
  json_object_foreach((json_t *)(uintptr_t)trial, name, value) {
    if (!json_is_integer(value))
      return pawl_fail(err, PAWL_BAD_DATA, "'trial' has no integer for '%s'", name);
    dims[count++] = (struct pawl_dim){pawl_arena_copy(arena, name), json_integer_value(value)};
  }
  out->trial = dims;
  out->trial_count = count;
  return PAWL_OK;
}

pawl_status pawl_worker_describe_gpu_oracle(struct pawl_worker *worker, struct pawl_arena *arena,
                                            struct pawl_gpu_oracle_info *out,
                                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  struct pawl_error unread = {0};
  struct pawl_gpu_oracle_info info = {0};
  const char *name;
  PAWL_TRY(pawl_worker_call(worker, "describe", NULL, &result, err));
  if (pawl_json_get_string(result, "operator", "answer", NULL, &name, &unread) != PAWL_OK || !name)
    return pawl_worker_protocol_error(worker, "describe", "'operator' must be a string", err);
  if (read_trial(json_object_get(result, "trial"), arena, &info, &unread) != PAWL_OK)
    return pawl_worker_protocol_error(worker, "describe", unread.message, err);
  info.operator_name = pawl_arena_copy(arena, name);
  *out = info;
  return PAWL_OK;
}
