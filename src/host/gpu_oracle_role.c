/* SPDX-License-Identifier: Apache-2.0 */
/* The role `gpu_oracle` computes an operator's exact answers on the GPU. It answers `oracle` as the
   role `operator` does. It copies the tensors to GPU memory, each between guard bands, and copies
   the answers back. */
#include "base/memory.h"
#include "host/host_device.h"
#include "host/host_problem.h"
#include "host/plugin.h"
#include "host/role.h"

struct gpu_oracle {
  const struct pawl_gpu_oracle *oracle;
  const struct host_channel *channel;
  struct host_mapping arena, expected;
  const struct host_device *device;
  void *device_state;
};

/* The GPU memory of one request. */
struct buffers {
  struct pawl_tensor tensors[PAWL_MAX_TENSORS];
  double *expected[PAWL_MAX_TENSORS];
  size_t expected_bytes[PAWL_MAX_TENSORS];
  void *workspace;
  size_t workspace_bytes;
};

static pawl_status gpu_oracle_role_describe(void *state, const json_t *params, json_t **result,
                                            struct pawl_error *err) {
  (void)params, (void)err;
  const struct pawl_gpu_oracle *oracle = ((struct gpu_oracle *)state)->oracle;
  json_t *trial = json_object();
  for (int32_t i = 0; i < oracle->trial_count; i++)
    pawl_json_set_int(trial, oracle->trial[i].name, oracle->trial[i].value);
  *result = json_object();
  pawl_json_set_string(*result, "operator", oracle->operator_name);
  pawl_json_set(*result, "trial", trial);
  return PAWL_OK;
}

static void gpu_oracle_role_release(const struct gpu_oracle *self, struct buffers *buffers,
                                    const struct host_problem *problem) {
  for (int i = 0; i < problem->set.count; i++) {
    self->device->release(self->device_state, buffers->tensors[i].data,
                          problem->set.tensors[i].bytes);
    self->device->release(self->device_state, buffers->expected[i], buffers->expected_bytes[i]);
  }
  self->device->release(self->device_state, buffers->workspace, buffers->workspace_bytes);
}

static pawl_status place(const struct gpu_oracle *self, const struct host_problem *problem,
                         struct buffers *out, struct pawl_error *err) {
  const struct host_device *device = self->device;
  for (int i = 0; i < problem->set.count; i++) {
    const struct pawl_tensor *t = &problem->tensors[i];
    const size_t bytes = problem->set.tensors[i].bytes;
    void *room = NULL;
    out->tensors[i] = *t;
    out->tensors[i].data = NULL;
    if (t->role != PAWL_OUT) {
      PAWL_TRY(device->allocate(self->device_state, bytes, &out->tensors[i].data, err));
      PAWL_TRY(device->upload(self->device_state, out->tensors[i].data, t->data, bytes, err));
    }
    if (t->role == PAWL_IN) continue;
    out->expected_bytes[i] = (size_t)pawl_tensor_elements(t) * sizeof(double);
    PAWL_TRY(device->allocate(self->device_state, out->expected_bytes[i], &room, err));
    out->expected[i] = room;
    PAWL_TRY(device->fill(self->device_state, room, HOST_POISON, out->expected_bytes[i], err));
  }
  out->workspace_bytes =
      self->oracle->workspace_bytes ? self->oracle->workspace_bytes(&problem->shape) : 0;
  if (!out->workspace_bytes) return PAWL_OK;
  return device->allocate(self->device_state, out->workspace_bytes, &out->workspace, err);
}

static pawl_status compute(const struct gpu_oracle *self, const struct host_problem *problem,
                           const struct buffers *buffers, struct pawl_error *err) {
  const struct pawl_gpu_oracle_call call = {.struct_size = sizeof call,
                                            .tensor_count = problem->set.count,
                                            .shape = &problem->shape,
                                            .tensors = buffers->tensors,
                                            .expected = buffers->expected,
                                            .workspace = buffers->workspace,
                                            .workspace_bytes = buffers->workspace_bytes};
  const int number = self->oracle->compute(&call);
  const char *reason = number && self->oracle->error ? self->oracle->error(number) : NULL;
  if (!number) return PAWL_OK;
  return pawl_fail(err, PAWL_FAILED, "compute returned error %d%s%s", number, reason ? ": " : "",
                   reason ? reason : "");
}

/* Copies the answers to the host and checks every guard band. */
static pawl_status fetch(const struct gpu_oracle *self, const struct host_problem *problem,
                         const struct buffers *buffers, double *const *expected,
                         struct pawl_error *err) {
  const struct host_device *device = self->device;
  unsigned char end;
  for (int i = 0; i < problem->set.count; i++) {
    if (expected[i])
      PAWL_TRY(device->download(self->device_state, expected[i], buffers->expected[i],
                                buffers->expected_bytes[i], err));
    if (buffers->tensors[i].data && problem->set.tensors[i].bytes)
      PAWL_TRY(device->download(self->device_state, &end, buffers->tensors[i].data, 1, err));
  }
  return buffers->workspace ? device->download(self->device_state, &end, buffers->workspace, 1, err)
                            : PAWL_OK;
}

static pawl_status answer(struct gpu_oracle *self, const json_t *params, struct pawl_arena *arena,
                          struct pawl_error *err) {
  struct host_problem problem = {0};
  struct buffers buffers = {0};
  double *expected[PAWL_MAX_TENSORS] = {0};
  PAWL_TRY(host_problem_read(&self->arena, self->channel->arena_fd, params, arena, &problem, err));
  PAWL_TRY(host_problem_expected(&self->expected, self->channel->expected_fd, params, &problem,
                                 expected, err));
  const char *refusal = self->oracle->supports ? self->oracle->supports(&problem.shape) : NULL;
  if (refusal) return pawl_fail(err, PAWL_UNDECIDED, "%s", refusal);
  enum pawl_status_code status = place(self, &problem, &buffers, err);
  if (status == PAWL_OK) status = compute(self, &problem, &buffers, err);
  if (status == PAWL_OK) status = fetch(self, &problem, &buffers, expected, err);
  gpu_oracle_role_release(self, &buffers, &problem);
  return status;
}

static pawl_status oracle(void *state, const json_t *params, json_t **result,
                          struct pawl_error *err) {
  struct pawl_arena arena = {0};
  const enum pawl_status_code status = answer(state, params, &arena, err);
  if (status == PAWL_OK) *result = json_object();
  pawl_arena_clear(&arena);
  return status;
}

static void close_oracle(void *state) {
  struct gpu_oracle *self = state;
  host_mapping_release(&self->arena);
  host_mapping_release(&self->expected);
  self->device->close(self->device_state);
  pawl_free(self);
}

static pawl_status open_oracle(const char *plugin, const struct host_channel *channel, void **state,
                               struct pawl_error *err) {
  const struct pawl_gpu_oracle *loaded = NULL;
  void *device_state = NULL;
  PAWL_TRY(host_load_gpu_oracle(plugin, &loaded, err));
  PAWL_TRY(host_device_cuda.open(&device_state, err));
  struct gpu_oracle *self = pawl_alloc(1, sizeof *self);
  self->oracle = loaded;
  self->channel = channel;
  self->device = &host_device_cuda;
  self->device_state = device_state;
  *state = self;
  return PAWL_OK;
}

static const char *const capabilities[] = {"oracle", NULL};
static const struct host_method_row methods[] = {
    {"describe", gpu_oracle_role_describe}, {"oracle", oracle}, {NULL, NULL}};

const struct host_role host_gpu_oracle_role = {.name = "gpu_oracle",
                                               .capabilities = capabilities,
                                               .methods = methods,
                                               .open = open_oracle,
                                               .close = close_oracle};
