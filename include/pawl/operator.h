/* SPDX-License-Identifier: Apache-2.0 */
/* An operator defines what to compute: shape parameters, tensors, inputs, the exact answer, the
   tolerance for a kernel, and the amount of work. It runs in its own process, which never runs code
   under test. docs/plugins.md has an example to copy. */
#ifndef PAWL_OPERATOR_H
#define PAWL_OPERATOR_H

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One integer shape parameter; a switch such as `causal` is 0 or 1. Bounds are inclusive. */
struct pawl_param {
  const char *name;
  int64_t min, max;
  /* the default; if it is below min, a case must give the parameter */
  int64_t fallback;
  const char *help;
};

struct pawl_tensor_spec {
  const char *name;
  int32_t role;  /* enum pawl_role */
  int32_t dtype; /* enum pawl_dtype; PAWL_DTYPE_NONE: the case's dtype */
  int32_t ndim;
  int32_t reserved;
  int64_t size[PAWL_MAX_DIMS]; /* dense, outermost first */
};

enum pawl_fill {
  PAWL_FILL_NORMAL = 1,       /* N(0, scale^2) */
  PAWL_FILL_UNIFORM = 2,      /* [-scale, scale) */
  PAWL_FILL_ZERO_ONE = 3,     /* 0 or scale, each with probability 1/2 */
  PAWL_FILL_CONSTANT_ROWS = 4 /* N(0, scale^2), one value for each row of the last dimension */
};

/* A named distribution of inputs. `fill` draws every input element independently from a
   counter-based generator. Then `adjust`, if present, can edit the input tensors in place (a
   dominant key, rising maxima). pawl times the first distribution of an operator, with other seeds
   for each call. So `adjust` must make all structure that the inputs need: an order, a symmetry,
   zeros, valid indices, lengths and masks. */
struct pawl_distribution {
  const char *name;
  int32_t fill; /* enum pawl_fill */
  int32_t reserved;
  double scale;
  /* Not required. tensors[] has all tensors of the operator in order; only inputs and inouts are
   * valid. */
  void (*adjust)(const struct pawl_shape *shape, const struct pawl_tensor *tensors, uint64_t seed);
};

/* An element passes if |out - expected| <= atol + rtol * |expected|. A tensor passes if all its
   elements pass and its relative RMS error, sqrt(sum (out-expected)^2 / sum expected^2), is at most
   rel_rms. NaN never passes. atol is for the first distribution. For a distribution with a larger
   `scale`, pawl multiplies atol by the ratio of the scales. NAN: pawl takes the error of the
   outputs' precision (docs/plugins.md). */
struct pawl_tolerance {
  int32_t dtype; /* enum pawl_dtype of the case */
  int32_t reserved;
  double atol, rtol, rel_rms;
};

/* Functions of the operator's process that the oracle can use. */
struct pawl_host {
  uint32_t abi_version, struct_size;
  /* Runs body(context, i) for each i in [0, count) on all cores; returns when all are done. */
  void (*parallel_for)(const struct pawl_host *, int64_t count,
                       void (*body)(void *context, int64_t i), void *context);
  /* Computes C[m x n] = alpha * op(A) op(B) + beta * C in FP64, row-major, on the calling thread.
     trans is 0 or 1. */
  void (*dgemm)(const struct pawl_host *, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k,
                double alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                double beta, double *c, int64_t ldc);
};

struct pawl_operator {
  uint32_t abi_version; /* PAWL_ABI_VERSION */
  uint32_t struct_size; /* sizeof(struct pawl_operator) */
  const char *name;     /* [a-z][a-z0-9_]* */
  const char *summary;  /* one line */
  const struct pawl_param *params;
  const struct pawl_distribution *distributions;
  const struct pawl_tolerance *tolerances; /* one for each dtype that the operator supports */
  int32_t param_count, distribution_count, tolerance_count;
  int32_t tensor_count; /* at most PAWL_MAX_TENSORS */

  /* Required. Describes the tensor `index` of a case, 0 <= index < tensor_count. */
  void (*tensor)(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec);

  /* Not required if the suite says `oracle: base` or `oracle: reference NAME`. Computes the exact
     value of each output in FP64. tensors[] has all tensors in order, with filled inputs (an inout
     has its value before the call). expected[i] is NULL for an input, else memory for the dense
     output i. Returns 0, or another number on failure (out of memory). */
  int (*oracle)(const struct pawl_shape *shape, const struct pawl_tensor *tensors,
                double *const *expected, const struct pawl_host *host);

  /* Required. Returns the floating-point operations of one call. */
  double (*flop)(const struct pawl_shape *shape);

  /* Not required: NULL counts each input and each output once. Returns the bytes that must cross
     the memory bus in one call, whatever the implementation (compulsory traffic, cold caches). */
  double (*bytes)(const struct pawl_shape *shape);

  /* Not required: NULL accepts every shape within the parameters' ranges. Returns NULL, or the
     reason why these values do not fit together (D must divide ...). */
  const char *(*validate)(const struct pawl_shape *shape);
};

#define PAWL_MAX_TENSORS 16
#define PAWL_OPERATOR_ENTRY "pawl_operator_entry"

/* Every operator plug-in defines and exports this function. */
PAWL_EXPORT const struct pawl_operator *pawl_operator_entry(void);

#ifdef __cplusplus
}
#endif
#endif
