/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `ledger`: an inout and outputs of several dtypes. balance += amount in FP64, positive =
   (amount > 0). With undefined = 1 its oracle answers NaN for one element. */
#include <math.h>
#include <pawl/convert.h>
#include <pawl/operator.h>

enum { AMOUNT, BALANCE, POSITIVE, TENSORS };

static const struct pawl_param params[] = {{"n", 1, 1 << 24, 0, "entries"},
                                           {"undefined", 0, 1, 0, "answer NaN"}};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  static const struct {
    const char *name;
    int32_t role, dtype;
  } rows[TENSORS] = {{"amount", PAWL_IN, PAWL_DTYPE_NONE},
                     {"balance", PAWL_INOUT, PAWL_F64},
                     {"positive", PAWL_OUT, PAWL_I32}};
  *spec = (struct pawl_tensor_spec){.name = rows[index].name,
                                    .role = rows[index].role,
                                    .dtype = rows[index].dtype,
                                    .ndim = 1,
                                    .size = {shape->dims[0].value}};
}

static int oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                  double *const *expected, const struct pawl_host *host) {
  (void)host;
  for (int64_t i = 0; i < shape->dims[0].value; i++) {
    const double amount = pawl_load_f64(tensors[AMOUNT].data, tensors[AMOUNT].dtype, i);
    expected[BALANCE][i] = pawl_load_f64(tensors[BALANCE].data, PAWL_F64, i) + amount;
    expected[POSITIVE][i] = amount > 0;
  }
  if (shape->dims[1].value) expected[BALANCE][shape->dims[0].value - 1] = NAN;
  return 0;
}

static double flop(const struct pawl_shape *shape) { return (double)shape->dims[0].value; }

/* Not idempotent: doing it twice shows. */
static void add_ten(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                    uint64_t seed) {
  (void)seed;
  for (int64_t i = 0; i < shape->dims[0].value; i++) {
    const double value = pawl_load_f64(tensors[AMOUNT].data, tensors[AMOUNT].dtype, i);
    pawl_store_f64(tensors[AMOUNT].data, tensors[AMOUNT].dtype, i, value + 10);
  }
}

static const struct pawl_distribution distributions[] = {
    {.name = "normal", .fill = PAWL_FILL_NORMAL, .scale = 1},
    {"ten_more", PAWL_FILL_NORMAL, 0, 1, add_ten}};
static const struct pawl_tolerance tolerances[] = {{PAWL_F32, 0, 1e-12, 1e-12, 1e-12}};

static const struct pawl_operator ledger = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof ledger,
    .name = "ledger",
    .summary = "balance += amount",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = 2,
    .distribution_count = 2,
    .tolerance_count = 1,
    .tensor_count = TENSORS,
    .tensor = tensor,
    .oracle = oracle,
    .flop = flop,
};

const struct pawl_operator *pawl_operator_entry(void) { return &ledger; }
