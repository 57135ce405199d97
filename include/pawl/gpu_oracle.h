/* SPDX-License-Identifier: Apache-2.0 */
/* Computes an operator's exact answer on the GPU. Not required: it saves time if the CPU oracle is
   slow. pawl compares it with the operator's own oracle before it uses the first answer:
   docs/adr/gpu-oracle.md. docs/plugins.md has an example to copy. */
#ifndef PAWL_GPU_ORACLE_H
#define PAWL_GPU_ORACLE_H

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One answer to compute. tensors[] and expected[] follow the operator's order. */
struct pawl_gpu_oracle_call {
  uint32_t struct_size;
  int32_t tensor_count;
  const struct pawl_shape *shape;
  /* inputs, and inouts with their values before the call, in device memory; outputs have data
     NULL */
  const struct pawl_tensor *tensors;
  double *const *expected; /* [i]: device memory for the dense output i; NULL for an input */
  /* workspace_bytes() bytes of device memory, aligned to 256, contents undefined */
  void *workspace;
  size_t workspace_bytes;
};

struct pawl_gpu_oracle {
  uint32_t abi_version; /* PAWL_ABI_VERSION */
  uint32_t struct_size; /* sizeof(struct pawl_gpu_oracle) */
  const char *operator_name;

  /* Not required. The limits of the trial, in which pawl compares this oracle with the CPU oracle.
     pawl reduces each parameter named here to its limit. All other parameters, such as a head size
     or a switch, keep their values. Without limits, pawl compares each case once at its full
     size. */
  const struct pawl_dim *trial;
  int32_t trial_count;
  int32_t reserved;

  /* Required. Computes the exact value of each output in FP64. Enqueues on the default stream of
     the current context. Returns 0, or an error number for error(). The same inputs must give the
     same bits. */
  int (*compute)(const struct pawl_gpu_oracle_call *call);

  /* Not required: NULL means every shape. Returns NULL, or why it does not support this shape. Then
     the CPU oracle answers. */
  const char *(*supports)(const struct pawl_shape *shape);

  /* Not required: NULL means none. Returns the bytes of scratch memory that the shape needs. */
  size_t (*workspace_bytes)(const struct pawl_shape *shape);

  /* Not required. Returns the text for an error number of compute(). */
  const char *(*error)(int number);
};

#define PAWL_GPU_ORACLE_ENTRY "pawl_gpu_oracle_entry"

/* Every GPU oracle plug-in defines and exports this function. */
PAWL_EXPORT const struct pawl_gpu_oracle *pawl_gpu_oracle_entry(void);

#ifdef __cplusplus
}
#endif
#endif
