/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel is one implementation of an operator: the code under test. docs/plugins.md has an
 * example to copy. */
#ifndef PAWL_KERNEL_H
#define PAWL_KERNEL_H

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same inputs always give the same bits. The check repeats calls to verify this. */
#define PAWL_KERNEL_DETERMINISTIC 1u

/* One call. All pointers are valid until the call's work is done. tensors[] follow the operator's
   order. */
struct pawl_launch {
  uint32_t struct_size;
  int32_t threads; /* CPU: the most threads that the kernel may use */
  const struct pawl_shape *shape;
  const struct pawl_tensor *tensors;
  int32_t tensor_count;
  int32_t reserved;
  /* workspace_bytes() bytes on the kernel's device, aligned to 256, contents undefined */
  void *workspace;
  size_t workspace_bytes;
  /* CUDA: the CUstream to launch on, in the primary context; CPU: NULL */
  void *stream;
};

struct pawl_kernel {
  uint32_t abi_version; /* PAWL_ABI_VERSION */
  uint32_t struct_size; /* sizeof(struct pawl_kernel) */
  const char *name;
  const char *operator_name;
  int32_t device; /* enum pawl_device_kind */
  uint32_t flags; /* PAWL_KERNEL_DETERMINISTIC */

  /* Required. Returns NULL if the kernel supports this shape, else a reason ("D must be 64"). */
  const char *(*supports)(const struct pawl_shape *shape);

  /* Required. Starts one call. CPU: returns after it has written the outputs. CUDA: enqueues on
     launch->stream and returns. Returns 0, or an error number for error(). */
  int (*launch)(const struct pawl_launch *launch);

  /* Not required: NULL means none. Returns the bytes of scratch memory that the shape needs. */
  size_t (*workspace_bytes)(const struct pawl_shape *shape);

  /* Not required. Returns the text for an error number of launch(). */
  const char *(*error)(int number);
};

#define PAWL_KERNEL_ENTRY "pawl_kernel_entry"

/* Every kernel plug-in defines and exports this function. */
PAWL_EXPORT const struct pawl_kernel *pawl_kernel_entry(void);

#ifdef __cplusplus
}
#endif
#endif
