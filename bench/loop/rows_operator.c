/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `rows`: y = 2 x for n values, with `us`, the microseconds that a kernel works for. */
#include <pawl/convert.h>
#include <pawl/operator.h>

static const struct pawl_param params[] = {
    {"n", 1, 1 << 26, 0, "values"},
    {"us", 1, 1 << 20, 0, "about the microseconds of a call"},
};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  *spec = (struct pawl_tensor_spec){.name = index ? "y" : "x",
                                    .role = index ? PAWL_OUT : PAWL_IN,
                                    .dtype = PAWL_F32,
                                    .ndim = 1,
                                    .size = {shape->dims[0].value}};
}

static int oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                  double *const *expected, const struct pawl_host *host) {
  (void)host;
  for (int64_t i = 0; i < shape->dims[0].value; i++)
    expected[1][i] = 2 * pawl_load_f64(tensors[0].data, tensors[0].dtype, i);
  return 0;
}

static double flop(const struct pawl_shape *shape) { return (double)shape->dims[0].value; }

static const struct pawl_distribution distributions[] = {
    {.name = "normal", .fill = PAWL_FILL_NORMAL, .scale = 1}};
static const struct pawl_tolerance tolerances[] = {{PAWL_F32, 0, 1e-6, 1e-6, 1e-6}};

static const struct pawl_operator rows = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof rows,
    .name = "rows",
    .summary = "twice as much, in some microseconds",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = 2,
    .distribution_count = 1,
    .tolerance_count = 1,
    .tensor_count = 2,
    .tensor = tensor,
    .oracle = oracle,
    .flop = flop,
};

const struct pawl_operator *pawl_operator_entry(void) { return &rows; }
