/* An operator: y = 2 x. Copy it and change every function; pawl/operator.h explains each. */
#include <pawl/convert.h>
#include <pawl/operator.h>

static const struct pawl_param params[] = {
    {"n", 1, 100000000, 0, "elements"},
};

/* The first distribution is the one that is timed. */
static const struct pawl_distribution distributions[] = {
    {"normal", PAWL_FILL_NORMAL, 0, 1.0, NULL},
    {"uniform", PAWL_FILL_UNIFORM, 0, 1000.0, NULL},
};

static const struct pawl_tolerance tolerances[] = {
    {PAWL_F32, 0, 1e-6, 1e-6, 1e-6},
};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  spec->name = index == 0 ? "x" : "y";
  spec->role = index == 0 ? PAWL_IN : PAWL_OUT;
  spec->ndim = 1;
  spec->size[0] = pawl_shape_get(shape, "n");
}

static int oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors, double *const *expected,
                  const struct pawl_host *host) {
  (void)host;
  const int64_t n = pawl_shape_get(shape, "n");
  for (int64_t i = 0; i < n; i++) expected[1][i] = 2 * pawl_load_f64(tensors[0].data, tensors[0].dtype, i);
  return 0;
}

static double flop(const struct pawl_shape *shape) {
  return (double)pawl_shape_get(shape, "n");
}

static const struct pawl_operator self = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_operator),
    .name = "scale",
    .summary = "y = 2 x",
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .distributions = distributions,
    .distribution_count = sizeof distributions / sizeof *distributions,
    .tolerances = tolerances,
    .tolerance_count = sizeof tolerances / sizeof *tolerances,
    .tensor_count = 2,
    .tensor = tensor,
    .oracle = oracle,
    .flop = flop,
};

const struct pawl_operator *pawl_operator_entry(void) {
  return &self;
}
