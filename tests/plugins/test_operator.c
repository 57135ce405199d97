/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `scale`: y = 2 x, n elements. The smallest operator that uses all of the interface. */
#include <pawl/convert.h>
#include <pawl/operator.h>

static const struct pawl_param params[] = {{"n", 1, 1 << 24, 0, "elements"}};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  *spec = (struct pawl_tensor_spec){.name = index ? "y" : "x",
                                    .role = index ? PAWL_OUT : PAWL_IN,
                                    .dtype = PAWL_DTYPE_NONE,
                                    .ndim = 1,
                                    .size = {shape->dims[0].value}};
}

struct job {
  const struct pawl_tensor *x;
  double *y;
};

static void twice(void *context, int64_t i) {
  const struct job *job = context;
  job->y[i] = 2 * pawl_load_f64(job->x->data, job->x->dtype, i);
}

static int oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                  double *const *expected, const struct pawl_host *host) {
  struct job job = {&tensors[0], expected[1]};
  host->parallel_for(host, shape->dims[0].value, twice, &job);
  /* the first element once more by a matrix product: [x0 1] [2 0]^T */
  const double a[2] = {pawl_load_f64(tensors[0].data, tensors[0].dtype, 0), 1}, b[2] = {2, 0};
  host->dgemm(host, 0, 0, 1, 1, 2, 1.0, a, 2, b, 1, 0.0, expected[1], 1);
  return 0;
}

static double flop(const struct pawl_shape *shape) { return (double)shape->dims[0].value; }

static const char *validate(const struct pawl_shape *shape) {
  return shape->dims[0].value == 13 ? "n must not be 13" : NULL;
}

static void ones(const struct pawl_shape *shape, const struct pawl_tensor *tensors, uint64_t seed) {
  for (int64_t i = 0; i < shape->dims[0].value; i++)
    pawl_store_f64(tensors[0].data, tensors[0].dtype, i, (double)(1 + seed));
}

static const struct pawl_distribution distributions[] = {
    {.name = "normal", .fill = PAWL_FILL_NORMAL, .scale = 1},
    {"ones", PAWL_FILL_NORMAL, 0, 1, ones}};
static const struct pawl_tolerance tolerances[] = {{PAWL_F32, 0, 1e-6, 1e-6, 1e-6},
                                                   {PAWL_F16, 0, 1e-3, 1e-3, 1e-3}};

static const struct pawl_operator scale = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof scale,
    .name = "scale",
    .summary = "y = 2 x",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = 1,
    .distribution_count = 2,
    .tolerance_count = 2,
    .tensor_count = 2,
    .tensor = tensor,
    .oracle = oracle,
    .flop = flop,
    .validate = validate,
};

const struct pawl_operator *pawl_operator_entry(void) { return &scale; }
