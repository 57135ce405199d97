# SPDX-License-Identifier: Apache-2.0
# An operator without an oracle and without a tolerance: a reference answers, and the tolerance is the error of its precision.
# Another order of additions passes. A relative error of 1e-3 and one wrong element do not. The suite's own tolerance decides.
repository
cat >operators/sums.c <<'END'
#include <math.h>
#include <pawl/operator.h>

static const struct pawl_param params[] = {{"rows", 1, 1 << 20, 0, ""}, {"columns", 1, 1 << 20, 0, ""}};
static const struct pawl_distribution distributions[] = {{"normal", PAWL_FILL_NORMAL, 0, 1.0, NULL},
                                                         {"uniform", PAWL_FILL_UNIFORM, 0, 1e6, NULL}};
static const struct pawl_tolerance tolerances[] = {{PAWL_F32, 0, NAN, NAN, NAN}};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  spec->name = index ? "y" : "x";
  spec->role = index ? PAWL_OUT : PAWL_IN;
  spec->ndim = index ? 1 : 2;
  spec->size[0] = pawl_shape_get(shape, "rows");
  if (!index) spec->size[1] = pawl_shape_get(shape, "columns");
}

static double flop(const struct pawl_shape *shape) {
  return (double)pawl_shape_get(shape, "rows") * (double)pawl_shape_get(shape, "columns");
}

static const struct pawl_operator self = {.abi_version = PAWL_ABI_VERSION,
                                          .struct_size = sizeof(struct pawl_operator),
                                          .name = "sums",
                                          .summary = "the sum of each row",
                                          .params = params,
                                          .param_count = 2,
                                          .distributions = distributions,
                                          .distribution_count = 2,
                                          .tolerances = tolerances,
                                          .tolerance_count = 1,
                                          .tensor_count = 2,
                                          .tensor = tensor,
                                          .flop = flop};

const struct pawl_operator *pawl_operator_entry(void) { return &self; }
END
cat >kernels/sums.h <<'END'
#include <pawl/kernel.h>

static float sum(const float *x, int64_t columns, int64_t row);

static const char *supports(const struct pawl_shape *shape) {
  (void)shape;
  return NULL;
}

static int launch(const struct pawl_launch *call) {
  const float *x = call->tensors[0].data;
  float *y = call->tensors[1].data;
  const int64_t columns = call->tensors[0].size[1];
  for (int64_t i = 0; i < call->tensors[0].size[0]; i++) y[i] = sum(x + i * columns, columns, i);
  return 0;
}

static const struct pawl_kernel self = {.abi_version = PAWL_ABI_VERSION,
                                        .struct_size = sizeof(struct pawl_kernel),
                                        .name = NAME,
                                        .operator_name = "sums",
                                        .device = PAWL_CPU,
                                        .supports = supports,
                                        .launch = launch};

const struct pawl_kernel *pawl_kernel_entry(void) { return &self; }
END
kernel() { # NAME BODY: a kernel of one function
  printf '#define NAME "%s"\n#include "sums.h"\n\nstatic float sum(const float *x, int64_t columns, int64_t row) {\n  (void)row;\n  %s\n}\n' \
    "$1" "$2" >"kernels/$1.c"
}
in_order='float s = 0; for (int64_t j = 0; j < columns; j++) s += x[j];'
kernel plain "$in_order return s;"
kernel lanes 'float s[8] = {0}; for (int64_t j = 0; j < columns; j++) s[j % 8] += x[columns - 1 - j]; return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));'
kernel exact 'double s = 0; for (int64_t j = 0; j < columns; j++) s += x[j]; return (float)s;'
kernel biased "$in_order return s * 1.001f;"
kernel one "$in_order return row == 2 ? s * 1.001f : s;"
cat >pawl.yaml <<'END'
version: 1
operators:
  sums: {sources: [operators/sums.c]}
references:
  plain: {operator: sums, sources: [kernels/plain.c]}
kernels:
  lanes: {operator: sums, sources: [kernels/lanes.c]}
  exact: {operator: sums, sources: [kernels/exact.c]}
  biased: {operator: sums, sources: [kernels/biased.c]}
  one: {operator: sums, sources: [kernels/one.c]}
cases:
  few: {operator: sums, rows: 7, columns: 100000, dtype: f32}
check:
  sums: {rows: [7], columns: [3, 1000], oracle: reference plain}
END
try pawl check
sed -i 's/oracle: reference plain/&, rtol: 0.01/' pawl.yaml
try pawl check biased one
sed -i 's/rtol: 0.01/rtol: 0, atol: 0/' pawl.yaml
try pawl check lanes
