/* SPDX-License-Identifier: Apache-2.0 */
/* Operator `kept`, whose parameter `kind` says what it computes of n values. Kernels that keep
   results find them in different ways: by a key without an order, by one value, by what differs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pawl/convert.h>
#include <pawl/operator.h>

#include "kept.h"

static const struct pawl_param params[] = {{"kind", 0, KINDS - 1, 0, "enum kept_kind"},
                                           {"n", 1, 1 << 24, 4096, "values"}};

static void tensor(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec) {
  const int64_t kind = shape->dims[0].value, n = shape->dims[1].value;
  const int64_t results = kind == KEPT_NORM || kind == KEPT_MAX ? 2
                          : kind == KEPT_BINS                   ? BINS
                          : kind == KEPT_IN_PLACE               ? 1
                                                                : n;
  *spec = (struct pawl_tensor_spec){.name = index ? "y" : "x",
                                    .role = index                   ? PAWL_OUT
                                            : kind == KEPT_IN_PLACE ? PAWL_INOUT
                                                                    : PAWL_IN,
                                    .dtype = !index && kind == KEPT_BINS ? PAWL_I32 : PAWL_F32,
                                    .ndim = 1,
                                    .size = {index ? results : n}};
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void multiply(const double *x, int64_t n, double *y) {
  const int64_t side = (int64_t)sqrt((double)n);
  memset(y, 0, (size_t)n * sizeof *y);
  for (int64_t i = 0; i < side; i++)
    for (int64_t k = 0; k < side; k++)
      for (int64_t j = 0; j < side; j++) y[i * side + j] += x[i * side + k] * x[k * side + j];
}

static int oracle(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                  double *const *expected, const struct pawl_host *host) {
  const int64_t kind = shape->dims[0].value, n = shape->dims[1].value;
  double *y = expected[1], value = kind == KEPT_MAX ? -INFINITY : 0;
  double *x = malloc((size_t)n * sizeof *x);
  (void)host;
  if (!x) return 1;
  for (int64_t i = 0; i < n; i++) x[i] = pawl_load_f64(tensors[0].data, tensors[0].dtype, i);
  for (int64_t i = 0; i < n; i++)
    value = kind == KEPT_MAX ? fmax(value, x[i]) : value + x[i] * x[i];
  if (kind == KEPT_NORM) y[0] = sqrt(value), y[1] = value;
  if (kind == KEPT_MAX) y[0] = value, y[1] = 2 * value;
  for (int64_t i = 0; i < n && kind == KEPT_MAP; i++) y[i] = 2 * x[i];
  if (kind == KEPT_MATRIX) multiply(x, n, y);
  for (int64_t i = 0; i < BINS && kind == KEPT_BINS; i++) y[i] = 0;
  for (int64_t i = 0; i < n && kind == KEPT_BINS; i++) y[(int)x[i]]++;
  if (kind == KEPT_SORT || kind == KEPT_IN_PLACE) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    memcpy(expected[kind == KEPT_SORT], x, (size_t)n * sizeof *x);
    if (kind == KEPT_IN_PLACE) y[0] = (double)n;
  }
  free(x);
  return 0;
}

static double flop(const struct pawl_shape *shape) { return (double)shape->dims[1].value; }

/* The values of KEPT_BINS are valid indices. */
static void make_indices(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                         uint64_t seed) {
  int32_t *x = tensors[0].data;
  (void)seed;
  for (int64_t i = 0; i < shape->dims[1].value && tensors[0].dtype == PAWL_I32; i++)
    x[i] = abs(x[i]) % BINS;
}

static const struct pawl_distribution distributions[] = {
    {.name = "normal", .fill = PAWL_FILL_NORMAL, .scale = 1},
    {"indices", PAWL_FILL_NORMAL, 0, 100, make_indices}};
static const struct pawl_tolerance tolerances[] = {{PAWL_F32, 0, 1e-3, 1e-4, 1e-4}};

static const struct pawl_operator kept = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof kept,
    .name = "kept",
    .summary = "one of several functions of n values",
    .params = params,
    .distributions = distributions,
    .tolerances = tolerances,
    .param_count = 2,
    .distribution_count = 2,
    .tolerance_count = 1,
    .tensor_count = 2,
    .tensor = tensor,
    .oracle = oracle,
    .flop = flop,
};

const struct pawl_operator *pawl_operator_entry(void) { return &kept; }
