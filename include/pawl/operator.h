/* SPDX-License-Identifier: Apache-2.0 */
/* An operator says what is computed: shape parameters, tensors, inputs, the exact answer, how far a kernel may be
   from it, and how much work it is. It is loaded by a process of its own that never runs code under test.
   docs/plugins.md holds a skeleton to copy. */
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
  int64_t fallback; /* used when a case leaves the parameter out; below min: it must be given */
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

/* A named distribution of inputs. `fill` draws every input element independently from a counter-based generator;
   then `adjust`, when it is there, may edit the input tensors in place (a dominant key, rising maxima). The first
   distribution of an operator is the one timed. */
struct pawl_distribution {
  const char *name;
  int32_t fill; /* enum pawl_fill */
  int32_t reserved;
  double scale;
  /* Not required. tensors[] holds all of the operator's tensors in order; only inputs (and inouts) are valid. */
  void (*adjust)(const struct pawl_shape *shape, const struct pawl_tensor *tensors, uint64_t seed);
};

/* An element passes when |out - expected| <= atol + rtol * |expected|; a tensor passes when all its elements do and
   its relative RMS error, sqrt(sum (out-expected)^2 / sum expected^2), is at most rel_rms. NaN never passes. atol is
   for outputs of the first distribution; where another's `scale` is larger, atol is larger by as much. */
struct pawl_tolerance {
  int32_t dtype; /* enum pawl_dtype of the case */
  int32_t reserved;
  double atol, rtol, rel_rms;
};

/* What the process that hosts an operator offers to its oracle. */
struct pawl_host {
  uint32_t abi_version, struct_size;
  /* Runs body(context, i) for each i in [0, count) on all cores; returns when all are done. */
  void (*parallel_for)(const struct pawl_host *, int64_t count, void (*body)(void *context, int64_t i), void *context);
  /* C[m x n] = alpha * op(A) op(B) + beta * C in FP64, row-major, on the calling thread; trans: 0 or 1. */
  void (*dgemm)(const struct pawl_host *, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, double alpha,
                const double *a, int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc);
};

struct pawl_operator {
  uint32_t abi_version; /* PAWL_ABI_VERSION */
  uint32_t struct_size; /* sizeof(struct pawl_operator) */
  const char *name;     /* [a-z][a-z0-9_]* */
  const char *summary;  /* one line */
  const struct pawl_param *params;
  const struct pawl_distribution *distributions;
  const struct pawl_tolerance *tolerances; /* one for each dtype that the operator is defined for */
  int32_t param_count, distribution_count, tolerance_count;
  int32_t tensor_count; /* at most PAWL_MAX_TENSORS */

  /* Required. The tensor `index` of a case, 0 <= index < tensor_count. */
  void (*tensor)(const struct pawl_shape *shape, int32_t index, struct pawl_tensor_spec *spec);

  /* Required. Computes in FP64 what each output must hold. tensors[]: all tensors in order, inputs filled (an inout
     holds its value before the call). expected[i] is NULL for an input, else room for the dense output i. Returns 0,
     or any other number when it cannot (out of memory). */
  int (*oracle)(const struct pawl_shape *shape, const struct pawl_tensor *tensors, double *const *expected,
                const struct pawl_host *host);

  /* Required. Floating-point operations of one call. */
  double (*flop)(const struct pawl_shape *shape);

  /* Not required: NULL counts each input and each output once. Bytes that must cross the memory bus in one call,
     whatever the implementation (compulsory traffic, cold caches). */
  double (*bytes)(const struct pawl_shape *shape);

  /* Not required: NULL accepts every shape within the parameters' ranges. Returns NULL, or why these values do not
     belong together (D must divide ...). */
  const char *(*validate)(const struct pawl_shape *shape);
};

#define PAWL_MAX_TENSORS 16
#define PAWL_OPERATOR_ENTRY "pawl_operator_entry"

/* Every operator plug-in defines and exports this. */
PAWL_EXPORT const struct pawl_operator *pawl_operator_entry(void);

#ifdef __cplusplus
}
#endif
#endif
