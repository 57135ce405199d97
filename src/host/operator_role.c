/* SPDX-License-Identifier: Apache-2.0 */
/* The role `operator` describes an operator and computes its exact answers. */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "host/blas.h"
#include "host/host_problem.h"
#include "host/plugin.h"
#include "host/role.h"
#include "model/operator_info.h"
#include "protocol/tensor_json.h"

struct host_operator {
  const struct pawl_operator *op;
  const struct host_channel *channel;
  struct host_mapping arena, expected;
  /* The oracle gets these services; its callbacks find the role from their address. */
  struct pawl_host services;
  struct host_blas blas;
};

static void parallel_for(const struct pawl_host *host, int64_t count,
                         void (*body)(void *context, int64_t i), void *context) {
  (void)host;
  pawl_parallel_for(0, count, body, context);
}

static void dgemm(const struct pawl_host *host, int trans_a, int trans_b, int64_t m, int64_t n,
                  int64_t k, double alpha, const double *a, int64_t lda, const double *b,
                  int64_t ldb, double beta, double *c, int64_t ldc) {
  struct host_operator *self =
      (struct host_operator *)((uintptr_t)host - offsetof(struct host_operator, services));
  host_blas_dgemm(&self->blas, trans_a != 0, trans_b != 0, m, n, k, alpha, a, lda, b, ldb, beta, c,
                  ldc);
}

static pawl_status operator_role_describe(void *state, const json_t *params, json_t **result,
                                          struct pawl_error *err) {
  (void)params, (void)err;
  const struct pawl_operator *op = ((struct host_operator *)state)->op;
  struct pawl_arena arena = {0};
  struct pawl_operator_info info = {
      .name = op->name,
      .summary = op->summary ? op->summary : "",
      .params = (struct pawl_param *)(uintptr_t)op->params,
      .tolerances = (struct pawl_tolerance *)(uintptr_t)op->tolerances,
      .param_count = op->param_count,
      .distribution_count = op->distribution_count,
      .tolerance_count = op->tolerance_count,
  };
  info.distributions =
      pawl_arena_alloc(&arena, (size_t)op->distribution_count, sizeof *info.distributions);
  for (int i = 0; i < op->distribution_count; i++) {
    const struct pawl_distribution *d = &op->distributions[i];
    info.distributions[i] =
        (struct pawl_distribution_info){d->name, d->fill, d->scale, d->adjust != NULL};
  }
  *result = pawl_operator_info_to_json(&info);
  pawl_arena_clear(&arena);
  return PAWL_OK;
}

/* Counts each input and each output once, and an inout twice. */
static double default_bytes(const struct pawl_work *work) {
  double total = 0;
  for (int i = 0; i < work->tensor_count; i++) {
    const struct pawl_tensor_spec *spec = &work->tensors[i];
    double bytes = (double)pawl_dtype_size(spec->dtype);
    for (int d = 0; d < spec->ndim; d++) bytes *= (double)spec->size[d];
    total += spec->role == PAWL_INOUT ? 2 * bytes : bytes;
  }
  return total;
}

static pawl_status check_spec(const struct pawl_tensor_spec *spec, int index,
                              struct pawl_error *err) {
  bool good = spec->name && spec->ndim >= 0 && spec->ndim <= PAWL_MAX_DIMS &&
              spec->role >= PAWL_IN && spec->role <= PAWL_INOUT && pawl_dtype_size(spec->dtype) > 0;
  for (int d = 0; good && d < spec->ndim; d++) good = spec->size[d] >= 0;
  return good ? PAWL_OK
              : pawl_fail(err, PAWL_FAILED,
                          "its tensor %d has no name, or a bad role, dtype or size", index);
}

static pawl_status shape_work(const struct pawl_operator *op, const struct pawl_shape *shape,
                              struct pawl_work *work, struct pawl_error *err) {
  const char *reason = op->validate ? op->validate(shape) : NULL;
  if (reason) return pawl_fail(err, PAWL_CONFIG, "%s", reason);
  work->tensor_count = op->tensor_count;
  for (int i = 0; i < op->tensor_count; i++) {
    struct pawl_tensor_spec *spec = &work->tensors[i];
    op->tensor(shape, i, spec);
    if (spec->dtype == PAWL_DTYPE_NONE) spec->dtype = shape->dtype;
    PAWL_TRY(check_spec(spec, i, err));
  }
  work->flop = op->flop(shape);
  work->bytes = op->bytes ? op->bytes(shape) : default_bytes(work);
  return PAWL_OK;
}

static pawl_status tensors(void *state, const json_t *params, json_t **result,
                           struct pawl_error *err) {
  struct pawl_arena arena = {0};
  struct pawl_shape shape;
  struct pawl_work work = {0};
  enum pawl_status_code status = pawl_shape_from_params(params, &arena, &shape, err);
  if (status == PAWL_OK)
    status = shape_work(((struct host_operator *)state)->op, &shape, &work, err);
  if (status == PAWL_OK) *result = pawl_work_to_json(&work);
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status read_problem(struct host_operator *self, const json_t *params,
                                struct pawl_arena *arena, struct host_problem *out,
                                struct pawl_error *err) {
  /* pawl draws new inputs in memory that no kernel sees */
  const json_t *first = json_array_get(json_object_get(params, "tensors"), 0);
  const bool hidden = json_integer_value(json_object_get(first, "fd")) == PAWL_EXPECTED_ARENA;
  PAWL_TRY(host_problem_read(hidden ? &self->expected : &self->arena,
                             hidden ? self->channel->expected_fd : self->channel->arena_fd, params,
                             arena, out, err));
  if (out->set.count == self->op->tensor_count) return PAWL_OK;
  return pawl_fail(err, PAWL_BAD_DATA, "request: %d tensors, but the operator has %d",
                   out->set.count, self->op->tensor_count);
}

static pawl_status apply_adjust(const struct pawl_operator *op, const char *name,
                                const struct host_problem *problem, uint64_t seed,
                                struct pawl_error *err) {
  for (int i = 0; i < op->distribution_count; i++) {
    const struct pawl_distribution *distribution = &op->distributions[i];
    if (strcmp(distribution->name, name) != 0) continue;
    if (distribution->adjust) distribution->adjust(&problem->shape, problem->tensors, seed);
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_BAD_DATA, "request: no distribution '%s'", name);
}

static pawl_status adjust(void *state, const json_t *params, json_t **result,
                          struct pawl_error *err) {
  struct host_operator *self = state;
  struct pawl_arena arena = {0};
  struct host_problem problem = {0};
  const char *name;
  long long seed;
  PAWL_TRY(pawl_json_get_string(params, "distribution", "request", "", &name, err));
  PAWL_TRY(pawl_json_get_int(params, "seed", "request", 0, &seed, err));
  enum pawl_status_code status = read_problem(self, params, &arena, &problem, err);
  if (status == PAWL_OK) status = apply_adjust(self->op, name, &problem, (uint64_t)seed, err);
  if (status == PAWL_OK) *result = json_object();
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status compute(struct host_operator *self, const json_t *params,
                           struct pawl_arena *arena, struct pawl_error *err) {
  struct host_problem problem = {0};
  double *expected[PAWL_MAX_TENSORS] = {0};
  PAWL_TRY(read_problem(self, params, arena, &problem, err));
  PAWL_TRY(host_problem_expected(&self->expected, self->channel->expected_fd, params, &problem,
                                 expected, err));
  self->blas.failure[0] = '\0';
  if (!self->op->oracle)
    return pawl_fail(
        err, PAWL_CONFIG,
        "it has no oracle: write one, or set 'oracle: base' or 'oracle: reference NAME' "
        "in 'check' of the suite");
  const int number = self->op->oracle(&problem.shape, problem.tensors, expected, &self->services);
  if (self->blas.failure[0]) return pawl_fail(err, PAWL_FAILED, "%s", self->blas.failure);
  if (number != 0)
    return pawl_fail(err, PAWL_FAILED, "its oracle returned error %d (out of memory?)", number);
  return PAWL_OK;
}

static pawl_status operator_role_oracle(void *state, const json_t *params, json_t **result,
                                        struct pawl_error *err) {
  struct pawl_arena arena = {0};
  const enum pawl_status_code status = compute(state, params, &arena, err);
  if (status == PAWL_OK) *result = json_object();
  pawl_arena_clear(&arena);
  return status;
}

static void close_operator(void *state) {
  struct host_operator *self = state;
  host_mapping_release(&self->arena);
  host_mapping_release(&self->expected);
  pawl_free(self);
}

static pawl_status open_operator(const char *plugin, const struct host_channel *channel,
                                 void **state, struct pawl_error *err) {
  const struct pawl_operator *op = NULL;
  PAWL_TRY(host_load_operator(plugin, &op, err));
  struct host_operator *self = pawl_alloc(1, sizeof *self);
  self->op = op;
  self->channel = channel;
  self->services = (struct pawl_host){.abi_version = PAWL_ABI_VERSION,
                                      .struct_size = sizeof self->services,
                                      .parallel_for = parallel_for,
                                      .dgemm = dgemm};
  host_blas_init(&self->blas);
  *state = self;
  return PAWL_OK;
}

static const char *const capabilities[] = {"adjust", "oracle", NULL};
static const struct host_method_row methods[] = {{"describe", operator_role_describe},
                                                 {"tensors", tensors},
                                                 {"adjust", adjust},
                                                 {"oracle", operator_role_oracle},
                                                 {NULL, NULL}};

const struct host_role host_operator_role = {.name = "operator",
                                             .capabilities = capabilities,
                                             .methods = methods,
                                             .open = open_operator,
                                             .close = close_operator};
