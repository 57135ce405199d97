/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_problem.h"

#include "protocol/tensor_json.h"

pawl_status host_problem_read(struct host_mapping *mapping, int fd, const json_t *params,
                              struct pawl_arena *arena, struct host_problem *out,
                              struct pawl_error *err) {
  PAWL_TRY(host_mapping_open(mapping, fd, err));
  PAWL_TRY(pawl_shape_from_params(params, arena, &out->shape, err));
  PAWL_TRY(pawl_tensor_set_from_json(json_object_get(params, "tensors"), arena, &out->set, err));
  return host_place_tensors(mapping, &out->set, out->tensors, err);
}

pawl_status host_problem_expected(struct host_mapping *mapping, int fd, const json_t *params,
                                  const struct host_problem *problem,
                                  double *expected[PAWL_MAX_TENSORS], struct pawl_error *err) {
  const json_t *array = json_object_get(params, "expected");
  size_t next = 0;
  PAWL_TRY(host_mapping_open(mapping, fd, err));
  for (int i = 0; i < problem->set.count; i++) {
    expected[i] = NULL;
    if (problem->tensors[i].role == PAWL_IN) continue;
    const json_t *place = json_array_get(array, next++);
    long long offset, bytes;
    PAWL_TRY(pawl_json_get_int(place, "offset", "request", -1, &offset, err));
    PAWL_TRY(pawl_json_get_int(place, "bytes", "request", -1, &bytes, err));
    if (offset < 0 ||
        bytes != pawl_tensor_elements(&problem->tensors[i]) * (long long)sizeof(double))
      return pawl_fail(err, PAWL_BAD_DATA,
                       "request: bad place for the expected values of output %zu", next - 1);
    void *data = NULL;
    PAWL_TRY(host_mapping_find(mapping, (uint64_t)offset, (uint64_t)bytes, &data, err));
    expected[i] = data;
  }
  return PAWL_OK;
}
