/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an operator's oracle and a kernel in this process, on one case, for the tests of the shipped
 * plug-ins. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those above */
#include <cmocka.h>

#include "base/philox.h"
#include "pawl/convert.h"
#include "pawl/kernel.h"
#include "pawl/operator.h"

#define MAX_TENSORS 5
#define GUARD_BYTES 256
#define GUARD 0xa5

/* One case of one operator: tensors with guard bands, and room for the expected values of the
 * outputs. */
struct problem {
  const struct pawl_operator *op;
  struct pawl_dim dims[8];
  struct pawl_shape shape;
  struct pawl_tensor tensors[MAX_TENSORS];
  double *expected[MAX_TENSORS]; /* NULL for an input */
  int seed;
};

static inline void serial_for(const struct pawl_host *host, int64_t count,
                              void (*body)(void *, int64_t), void *context) {
  (void)host;
  for (int64_t i = 0; i < count; i++) body(context, i);
}

static inline void plain_dgemm(const struct pawl_host *host, int trans_a, int trans_b, int64_t m,
                               int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
                               const double *b, int64_t ldb, double beta, double *c, int64_t ldc) {
  (void)host;
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      double sum = 0.0;
      for (int64_t l = 0; l < k; l++)
        sum += (trans_a ? a[l * lda + i] : a[i * lda + l]) *
               (trans_b ? b[j * ldb + l] : b[l * ldb + j]);
      c[i * ldc + j] = alpha * sum + (beta == 0.0 ? 0.0 : beta * c[i * ldc + j]);
    }
  }
}

static const struct pawl_host test_host = {
    .abi_version = PAWL_ABI_VERSION,
    .struct_size = sizeof(struct pawl_host),
    .parallel_for = serial_for,
    .dgemm = plain_dgemm,
};

static inline size_t tensor_bytes(const struct pawl_tensor *t) {
  return (size_t)pawl_tensor_elements(t) * pawl_dtype_size(t->dtype);
}

static inline void tensor_init(struct pawl_tensor *t, const struct pawl_tensor_spec *spec,
                               int32_t dtype) {
  *t = (struct pawl_tensor){.dtype = spec->dtype == PAWL_DTYPE_NONE ? dtype : spec->dtype,
                            .role = spec->role,
                            .ndim = spec->ndim};
  memcpy(t->size, spec->size, sizeof t->size);
  int64_t stride = 1;
  for (int i = spec->ndim - 1; i >= 0; i--) {
    t->stride[i] = stride;
    stride *= t->size[i];
  }
  const size_t bytes = tensor_bytes(t);
  unsigned char *memory = aligned_alloc(256, (bytes + 2 * GUARD_BYTES + 255) / 256 * 256);
  assert_non_null(memory);
  memset(memory, GUARD, GUARD_BYTES);
  memset(memory + GUARD_BYTES, 0xff, bytes); /* NaN of every float dtype */
  memset(memory + GUARD_BYTES + bytes, GUARD, GUARD_BYTES);
  t->data = memory + GUARD_BYTES;
}

static inline double draw_normal(struct pawl_random *random) {
  const double u = 1.0 - pawl_random_double(random), v = pawl_random_double(random);
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static inline void draw(struct pawl_tensor *t, const struct pawl_distribution *distribution,
                        uint64_t seed, int index) {
  struct pawl_random random = pawl_random_init(seed, (uint64_t)index);
  const int64_t count = pawl_tensor_elements(t), row = t->size[t->ndim - 1];
  double value = 0.0;
  for (int64_t i = 0; i < count; i++) {
    switch (distribution->fill) {
      case PAWL_FILL_UNIFORM: value = 2.0 * pawl_random_double(&random) - 1.0; break;
      case PAWL_FILL_ZERO_ONE: value = pawl_random_u32(&random) & 1; break;
      case PAWL_FILL_CONSTANT_ROWS:
        if (i % row == 0) value = draw_normal(&random);
        break;
      default: value = draw_normal(&random);
    }
    pawl_store_f64(t->data, t->dtype, i, value * distribution->scale);
  }
}

/* values: one for each of the operator's parameters, in order. */
static inline void problem_init(struct problem *p, const struct pawl_operator *op, int32_t dtype,
                                const int64_t *values, const struct pawl_distribution *distribution,
                                uint64_t seed) {
  *p = (struct problem){.op = op};
  for (int32_t i = 0; i < op->param_count; i++)
    p->dims[i] = (struct pawl_dim){op->params[i].name, values[i]};
  p->shape = (struct pawl_shape){p->dims, op->param_count, dtype};
  assert_true(op->tensor_count <= MAX_TENSORS);
  for (int32_t i = 0; i < op->tensor_count; i++) {
    struct pawl_tensor_spec spec;
    op->tensor(&p->shape, i, &spec);
    tensor_init(&p->tensors[i], &spec, dtype);
    if (spec.role != PAWL_OUT) draw(&p->tensors[i], distribution, seed, i);
    if (spec.role != PAWL_IN) {
      p->expected[i] = calloc((size_t)pawl_tensor_elements(&p->tensors[i]), sizeof(double));
      assert_non_null(p->expected[i]);
    }
  }
  if (distribution->adjust) distribution->adjust(&p->shape, p->tensors, seed);
  assert_int_equal(op->oracle(&p->shape, p->tensors, p->expected, &test_host), 0);
}

static inline void problem_clear(struct problem *p) {
  for (int32_t i = 0; i < p->op->tensor_count; i++) {
    free((unsigned char *)p->tensors[i].data - GUARD_BYTES);
    free(p->expected[i]);
  }
}

static inline bool guards_are_whole(const struct pawl_tensor *t) {
  const unsigned char *before = (const unsigned char *)t->data - GUARD_BYTES,
                      *after = (const unsigned char *)t->data + tensor_bytes(t);
  for (int i = 0; i < GUARD_BYTES; i++)
    if (before[i] != GUARD || after[i] != GUARD) return false;
  return true;
}

/* Calls the kernel once with poisoned outputs; the launch must succeed and stay inside its buffers.
 */
static inline void run_kernel(const struct problem *p, const struct pawl_kernel *kernel,
                              int threads) {
  const size_t bytes = kernel->workspace_bytes ? kernel->workspace_bytes(&p->shape) : 0;
  unsigned char *workspace = aligned_alloc(256, (bytes + 511) / 256 * 256);
  assert_non_null(workspace);
  memset(workspace, 0xff, bytes);
  memset(workspace + bytes, GUARD, 1);
  for (int32_t i = 0; i < p->op->tensor_count; i++)
    if (p->tensors[i].role == PAWL_OUT)
      memset(p->tensors[i].data, 0xff, tensor_bytes(&p->tensors[i]));
  const struct pawl_launch launch = {
      .struct_size = sizeof launch,
      .threads = threads,
      .shape = &p->shape,
      .tensors = p->tensors,
      .tensor_count = p->op->tensor_count,
      .workspace = bytes ? workspace : NULL,
      .workspace_bytes = bytes,
  };
  assert_int_equal(kernel->launch(&launch), 0);
  assert_int_equal(workspace[bytes], GUARD);
  for (int32_t i = 0; i < p->op->tensor_count; i++) assert_true(guards_are_whole(&p->tensors[i]));
  free(workspace);
}

/* How far the outputs are from the expected values. */
struct deviation {
  int64_t outside; /* elements beyond atol + rtol |expected| */
  double rel_rms, max_abs;
};

static inline struct deviation deviation_of(const struct problem *p) {
  struct deviation d = {0};
  const struct pawl_tolerance *tolerance = NULL;
  for (int32_t i = 0; i < p->op->tolerance_count; i++)
    if (p->op->tolerances[i].dtype == p->shape.dtype) tolerance = &p->op->tolerances[i];
  assert_non_null(tolerance);
  double errors = 0.0, squares = 0.0;
  for (int32_t i = 0; i < p->op->tensor_count; i++) {
    if (!p->expected[i]) continue;
    for (int64_t j = 0; j < pawl_tensor_elements(&p->tensors[i]); j++) {
      const double expected = p->expected[i][j];
      const double error =
          fabs(pawl_load_f64(p->tensors[i].data, p->tensors[i].dtype, j) - expected);
      if (!(error <= tolerance->atol + tolerance->rtol * fabs(expected))) d.outside++;
      if (!(error <= d.max_abs)) d.max_abs = error;
      errors += error * error;
      squares += expected * expected;
    }
  }
  d.rel_rms = sqrt(errors / squares);
  return d;
}

static inline bool within_tolerance(const struct problem *p, struct deviation d) {
  for (int32_t i = 0; i < p->op->tolerance_count; i++)
    if (p->op->tolerances[i].dtype == p->shape.dtype)
      return d.outside == 0 && d.rel_rms <= p->op->tolerances[i].rel_rms;
  return false;
}

static inline const char *dtype_name(int32_t dtype) {
  return dtype == PAWL_F32    ? "f32"
         : dtype == PAWL_F16  ? "f16"
         : dtype == PAWL_BF16 ? "bf16"
         : dtype == PAWL_E4M3 ? "e4m3"
                              : "other";
}
