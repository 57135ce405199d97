/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and shapes as they cross the plug-in boundary. C11 and C++17; needs no other library. */
#ifndef PAWL_TENSOR_H
#define PAWL_TENSOR_H

#include <stddef.h>
#include <stdint.h>

/* Entries are visible with every compiler setting (-fvisibility=hidden). */
#if defined(__GNUC__)
#define PAWL_EXPORT __attribute__((visibility("default")))
#else
#define PAWL_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Structs only grow: a new field comes at the end, and no field moves. struct_size tells which
   fields exist. */
#define PAWL_ABI_VERSION 1u

enum pawl_dtype {
  PAWL_DTYPE_NONE = 0,
  PAWL_F64 = 1,
  PAWL_F32 = 2,
  PAWL_F16 = 3,  /* IEEE binary16 */
  PAWL_BF16 = 4, /* bfloat16: the upper half of a binary32 */
  PAWL_E4M3 = 5, /* OCP FP8 E4M3: no infinity, one NaN a sign, largest 448 */
  PAWL_I32 = 6,
  PAWL_I64 = 7,
  PAWL_U8 = 8
};

enum pawl_role { PAWL_IN = 1, PAWL_OUT = 2, PAWL_INOUT = 3 };
enum pawl_device_kind { PAWL_CPU = 1, PAWL_CUDA = 2 };

#define PAWL_MAX_DIMS 6

/* One tensor, in memory that the called code can use: host memory for an oracle or a CPU kernel,
   device memory for a CUDA kernel. data is aligned to 256 bytes. */
struct pawl_tensor {
  void *data;
  int32_t dtype; /* enum pawl_dtype */
  int32_t role;  /* enum pawl_role */
  int32_t ndim;
  int32_t reserved;
  int64_t size[PAWL_MAX_DIMS];   /* elements along each dimension, outermost first */
  int64_t stride[PAWL_MAX_DIMS]; /* elements between neighbours along each dimension */
};

/* One named shape value of a case: B = 32. */
struct pawl_dim {
  const char *name;
  int64_t value;
};

/* A case: the values of all of an operator's shape parameters, in the operator's order, and the
 * dtype. */
struct pawl_shape {
  const struct pawl_dim *dims;
  int32_t count;
  int32_t dtype; /* enum pawl_dtype of the tensors without their own dtype */
};

/* Returns the value of the shape parameter `name`, or INT64_MIN if there is none of that name. */
static inline int64_t pawl_shape_get(const struct pawl_shape *shape, const char *name) {
  for (int32_t i = 0; i < shape->count; i++) {
    const char *a = shape->dims[i].name, *b = name;
    while (*a && *a == *b) a++, b++;
    if (*a == *b) return shape->dims[i].value;
  }
  return INT64_MIN;
}

/* Returns the bytes of one element, or 0 for an unknown dtype. */
static inline size_t pawl_dtype_size(int32_t dtype) {
  switch (dtype) {
    case PAWL_F64:
    case PAWL_I64: return 8;
    case PAWL_F32:
    case PAWL_I32: return 4;
    case PAWL_F16:
    case PAWL_BF16: return 2;
    case PAWL_E4M3:
    case PAWL_U8: return 1;
    default: return 0;
  }
}

static inline int64_t pawl_tensor_elements(const struct pawl_tensor *t) {
  int64_t n = 1;
  for (int32_t i = 0; i < t->ndim; i++) n *= t->size[i];
  return n;
}

#ifdef __cplusplus
}
#endif
#endif
